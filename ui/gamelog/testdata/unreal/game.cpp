// A game whose clock is its frame: that of TestGoLogger. Arguments: its log, and that of a broken game.
#include "GameLog.h"
#include <algorithm>
#include <cmath>

static FGameLog::FBodies At(int Tick, bool Player, bool Other)
{
	const double X = std::max(Tick, 0) * 5;
	FGameLog::FBodies Bodies;
	if (Player) Bodies.Add(7, FTransform{{X, 0, 0}});
	if (Other) Bodies.Add(9, FTransform{{-X, 100, 0}});
	return Bodies;
}

int main(int, char** Paths)
{
	const auto Path = [&](int I) { const std::string S(Paths[I]); return FString(std::wstring(S.begin(), S.end()).c_str()); };
	{
		FGameLog Log(Path(1), TEXT("both"), 60, 60, 7);
		for (int Frame = 0; Frame < 400; Frame++) {
			FPlatformTime::Frames() = Frame;
			Log.Server(Frame, At(Frame, true, true));
			Log.Input(Frame, Frame / 50 % 2 ? TEXT("W") : TEXT(""));
			Log.Packet(TEXT("up"), 22);
			Log.Packet(TEXT("down"), 122);
			if (Frame % 60 == 0) { Log.Clock(Frame, 0.1); Log.Correction(4); }
			Log.View(Frame - 6, At(Frame - 6, true, false), Frame - 6, At(Frame - 6, false, true), std::max(Frame - 6, -1));
			if (Frame % 50 == 49) { // keys are read a frame before their input
				Log.Key();
				FPlatformTime::Frames() += 0.25;
				Log.Key();
			}
		}
	}
	FGameLog Broken(Path(2), TEXT("both"), 60, 60, 7);
	for (double X : {double(NAN), double(-INFINITY)}) {
		FGameLog::FBodies Bodies;
		Bodies.Add(7, FTransform{{X, 0, 0}});
		Broken.Server(1, Bodies);
	}
}
