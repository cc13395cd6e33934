// For ghostcube score (docs/gamelog.md): copy this into an Unreal project (tested with stubs of Unreal). The game calls Server after
// each tick of the server, with bodies as physics left them: from a tick function in TG_PostPhysics, since an actor ticks before. In
// the client Key when a key is read; Input in each tick; View in each frame, in TG_PostUpdateWork, with the meshes, which are drawn,
// not the capsules; Packet for each datagram; Clock once a second, in role both too.
#pragma once
#include "CoreMinimal.h"
#include "HAL/FileManager.h"
#include "Misc/ScopeLock.h"

class FGameLog
{
public:
	using FBodies = TMap<int32, FTransform>;

	// Role: client, server or both. Hz: ticks a second. Fps: frames a second, 10 to 240. Player: the player's body. Unit: a centimetre.
	FGameLog(const FString& Path, const FString& Role, int32 Hz, int32 Fps, int32 Player)
		: File(IFileManager::Get().CreateFileWriter(*Path, FILEWRITE_AllowRead))
	{
		ensureMsgf(File.IsValid(), TEXT("%s: cannot be written"), *Path);
		Line(FString::Printf(TEXT("{\"t\":\"h\",\"v\":1,\"role\":\"%s\",\"hz\":%d,\"fps\":%d,\"unit\":0.01,\"up\":\"z\",\"body\":%d}"), *Role, Hz, Fps, Player));
	}
	void Server(int32 Tick, const FBodies& Bodies) { Line(FString::Printf(TEXT("{\"t\":\"s\",\"k\":%d,\"b\":[%s]}"), Tick, *List(Bodies))); }
	// Bodies that are drawn at one server tick, and those at another one. Newest: input in the player's pose.
	void View(double Tick, const FBodies& Own, double OtherTick, const FBodies& Others, int32 Newest)
	{
		Line(FString::Printf(TEXT("{\"t\":\"v\",\"us\":%lld,\"k\":%.3f,\"b\":[%s],\"ko\":%.3f,\"o\":[%s],\"in\":%d}"),
			Now(), FMath::Max(Tick, 0.0), *List(Own), FMath::Max(OtherTick, 0.0), *List(Others), Newest));
	}
	void Key() { Read = Read < 0 ? Now() : Read; }
	// Keys: held from this input on, letters of WASDUZEC. The time is that of Key, which is before the tick.
	void Input(int32 Id, const FString& Keys)
	{
		if (Keys != Held) Line(FString::Printf(TEXT("{\"t\":\"i\",\"us\":%lld,\"id\":%d,\"keys\":\"%s\"}"), Read < 0 ? Now() : Read, Id, *Keys));
		Held = Keys; Read = -1;
	}
	// Way: up or down. Bytes: of the payload. ServerTick: with its fraction.
	void Packet(const FString& Way, int32 Bytes) { Line(FString::Printf(TEXT("{\"t\":\"p\",\"us\":%lld,\"dir\":\"%s\",\"bytes\":%d}"), Now(), *Way, Bytes)); }
	void Clock(double ServerTick, double RttSeconds)
	{
		Line(FString::Printf(TEXT("{\"t\":\"c\",\"us\":%lld,\"k\":%.3f,\"rtt\":%lld}"), Now(), ServerTick, (int64)(RttSeconds * 1e6)));
	}
	void Correction(int32 Replayed) { Line(FString::Printf(TEXT("{\"t\":\"r\",\"us\":%lld,\"n\":%d}"), Now(), Replayed)); }

private:
	TUniquePtr<FArchive> File; FCriticalSection Mutex; FString Held;
	int64 Read = -1, Flushed = 0;
	const double Start = FPlatformTime::Seconds();
	int64 Now() const { return (int64)((FPlatformTime::Seconds() - Start) * 1e6); }
	void Line(const FString& Text)
	{
		FScopeLock Lock(&Mutex); const FString Ended = Text + TEXT("\n"); FTCHARToUTF8 B(*Ended);
		if (File) File->Serialize((void*)B.Get(), B.Length());
		if (File && Now() - Flushed > 1000000) { File->Flush(); Flushed = Now(); } // a crash costs a second
	}
	static FString List(const FBodies& Bodies)
	{
		return FString::JoinBy(Bodies, TEXT(","), [](const auto& B) { FVector P = B.Value.GetLocation(); FQuat Q = B.Value.GetRotation();
			return FString::Printf(TEXT("[%d,%.4f,%.4f,%.4f,%.5f,%.5f,%.5f,%.5f]"), B.Key, P.X, P.Y, P.Z, Q.X, Q.Y, Q.Z, Q.W); });
	}
};
