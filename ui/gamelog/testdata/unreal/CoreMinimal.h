// What docs/examples/loggers/GameLog.h needs of Unreal.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <map>
#include <memory>
#include <mutex>
#include <string>

using int32 = std::int32_t;
using int64 = std::int64_t;
using TCHAR = wchar_t;
#define TEXT(s) L##s
#define ensureMsgf(condition, ...) do { if (!(condition)) std::abort(); } while (0)

struct FString {
	std::wstring S;
	FString(const TCHAR* T = L"") : S(T) {}
	const TCHAR* operator*() const { return S.c_str(); }
	bool operator!=(const FString& O) const { return S != O.S; }
	FString operator+(const TCHAR* T) const { return FString((S + T).c_str()); }
	template <typename... T> static FString Printf(const TCHAR* Format, T... Values)
	{
		std::wstring F(Format), Text(4096, 0);
		for (std::size_t I = 0; (I = F.find(L"%s", I)) != F.npos; I += 3) F.replace(I, 2, L"%ls"); // Unreal's %s is of TCHAR
		if (std::swprintf(&Text[0], Text.size(), F.c_str(), Values...) < 0) std::abort();
		return FString(Text.c_str());
	}
	template <typename R, typename F> static FString JoinBy(const R& Range, const TCHAR* Separator, F Projection)
	{
		FString Text;
		for (const auto& E : Range) Text.S += (Text.S.empty() ? L"" : Separator) + Projection(E).S;
		return Text;
	}
};

struct FVector { double X, Y, Z; };
struct FQuat { double X, Y, Z, W; };
struct FTransform {
	FVector Location;
	FVector GetLocation() const { return Location; }
	FQuat GetRotation() const { return {0, 0, 0, 1}; }
};

template <typename K, typename V> struct TPair { K Key; V Value; };
template <typename K, typename V> struct TMap {
	std::map<K, TPair<K, V>> Pairs;
	void Add(K Key, V Value) { Pairs[Key] = {Key, Value}; }
	struct Iterator {
		typename std::map<K, TPair<K, V>>::const_iterator I;
		const TPair<K, V>& operator*() const { return I->second; }
		void operator++() { ++I; }
		bool operator!=(const Iterator& O) const { return I != O.I; }
	};
	Iterator begin() const { return {Pairs.begin()}; }
	Iterator end() const { return {Pairs.end()}; }
};
template <typename T> struct TUniquePtr {
	std::unique_ptr<T> P;
	TUniquePtr(T* Raw) : P(Raw) {}
	bool IsValid() const { return P != nullptr; }
	explicit operator bool() const { return IsValid(); }
	T* operator->() const { return P.get(); }
};

struct FMath { static double Max(double A, double B) { return A > B ? A : B; } };
struct FPlatformTime {
	static double& Frames() { static double T; return T; }
	static double Seconds() { return 1000 + Frames() / 60; }
};
struct FCriticalSection : std::mutex {};
struct FTCHARToUTF8 {
	std::string S;
	explicit FTCHARToUTF8(const TCHAR* T) { for (; *T; T++) S += static_cast<char>(*T); }
	const char* Get() const { return S.c_str(); }
	int32 Length() const { return static_cast<int32>(S.size()); }
};
struct FArchive {
	std::FILE* File;
	~FArchive() { std::fclose(File); }
	void Serialize(void* V, int64 N) { std::fwrite(V, 1, static_cast<std::size_t>(N), File); }
	void Flush() { std::fflush(File); }
};
