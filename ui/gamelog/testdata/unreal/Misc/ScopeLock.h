#pragma once
struct FScopeLock : std::lock_guard<std::mutex> {
	explicit FScopeLock(FCriticalSection* Section) : std::lock_guard<std::mutex>(*Section) {}
};
