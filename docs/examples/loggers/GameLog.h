// For ghostcube score (docs/gamelog.md): copy this file into an Unreal project. The game calls Server after each tick of the
// server; in the client Input in each tick and View in each frame, with the transforms of the meshes, which are drawn, not
// of the capsules; Packet for each datagram, by whoever knows, and Clock once a second if the server is another process.
#pragma once
#include "CoreMinimal.h"
#include "HAL/FileManager.h"

class FGameLog
{
public:
	using FBodies = TMap<int32, FTransform>;

	// Role: client, server or both. Hz: ticks a second. Player: the player's body. Unreal's unit is a centimetre.
	FGameLog(const FString& Path, const FString& Role, int32 Hz, int32 Player)
		: File(IFileManager::Get().CreateFileWriter(*Path))
	{
		Line(FString::Printf(TEXT("{\"t\":\"h\",\"v\":1,\"role\":\"%s\",\"hz\":%d,\"unit\":0.01,\"body\":%d}"), *Role, Hz, Player));
	}
	void Server(int32 Tick, const FBodies& Bodies)
	{
		Line(FString::Printf(TEXT("{\"t\":\"s\",\"k\":%d,\"b\":[%s]}"), Tick, *List(Bodies)));
	}
	// Bodies that are drawn at one server tick, and those at another one. Input: the newest in the player's pose.
	void View(double Tick, const FBodies& Own, double OtherTick, const FBodies& Others, int32 Input)
	{
		Line(FString::Printf(TEXT("{\"t\":\"v\",\"us\":%lld,\"k\":%.3f,\"b\":[%s],\"ko\":%.3f,\"o\":[%s],\"in\":%d}"),
			Now(), Tick, *List(Own), OtherTick, *List(Others), Input));
	}
	// Keys: held from this input on, letters of WASDUZEC.
	void Input(int32 Id, const FString& Keys)
	{
		if (Keys != Held) Line(FString::Printf(TEXT("{\"t\":\"i\",\"us\":%lld,\"id\":%d,\"keys\":\"%s\"}"), Now(), Id, *Keys));
		Held = Keys;
	}
	// Way: up or down. Bytes: of the payload.
	void Packet(const FString& Way, int32 Bytes)
	{
		Line(FString::Printf(TEXT("{\"t\":\"p\",\"us\":%lld,\"dir\":\"%s\",\"bytes\":%d}"), Now(), *Way, Bytes));
	}
	void Clock(double ServerTick, double RttSeconds)
	{
		Line(FString::Printf(TEXT("{\"t\":\"c\",\"us\":%lld,\"k\":%.3f,\"rtt\":%lld}"), Now(), ServerTick, (int64)(RttSeconds * 1e6)));
	}
	void Correction(int32 Replayed) { Line(FString::Printf(TEXT("{\"t\":\"r\",\"us\":%lld,\"n\":%d}"), Now(), Replayed)); }

private:
	TUniquePtr<FArchive> File;
	FString Held;
	const double Start = FPlatformTime::Seconds();

	int64 Now() const { return (int64)((FPlatformTime::Seconds() - Start) * 1e6); }
	void Line(const FString& Text) { FTCHARToUTF8 B(*(Text + TEXT("\n"))); File->Serialize((void*)B.Get(), B.Length()); }
	static FString List(const FBodies& Bodies)
	{
		return FString::JoinBy(Bodies, TEXT(","), [](const auto& B) { FVector P = B.Value.GetLocation(); FQuat Q = B.Value.GetRotation();
			return FString::Printf(TEXT("[%d,%.4f,%.4f,%.4f,%.5f,%.5f,%.5f,%.5f]"), B.Key, P.X, P.Y, P.Z, Q.X, Q.Y, Q.Z, Q.W); });
	}
};
