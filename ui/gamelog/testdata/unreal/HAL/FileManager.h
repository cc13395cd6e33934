#pragma once
enum EFileWrite { FILEWRITE_AllowRead = 0x10 };
struct IFileManager {
	static IFileManager& Get() { static IFileManager M; return M; }
	FArchive* CreateFileWriter(const TCHAR* Path, EFileWrite) { return new FArchive{std::fopen(FTCHARToUTF8(Path).Get(), "wb")}; }
};
