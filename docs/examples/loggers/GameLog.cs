// For ghostcube score (docs/gamelog.md): copy this file into a Unity project. The game calls Server after each tick of the
// server; in the client Input in each tick and View in each frame (from Application.onBeforeRender, so that poses are as
// drawn); Packet for each datagram, by whoever knows, and Clock once a second if the server is another process.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using UnityEngine;

public sealed class GameLog : IDisposable
{
    readonly StreamWriter file;
    readonly Stopwatch watch = Stopwatch.StartNew();
    string held = "";

    // role: client, server or both. hz: ticks a second. player: the player's body.
    public GameLog(string path, string role, int hz, int player)
    {
        file = new StreamWriter(path);
        Line($"{{\"t\":\"h\",\"v\":1,\"role\":\"{role}\",\"hz\":{hz},\"body\":{player}}}");
    }

    public void Server(int tick, IReadOnlyDictionary<int, Transform> bodies) =>
        Line($"{{\"t\":\"s\",\"k\":{tick},\"b\":[{List(bodies)}]}}");

    // Bodies that are drawn at one server tick, and those at another one. input: the newest in the player's pose.
    public void View(double tick, IReadOnlyDictionary<int, Transform> own,
        double otherTick, IReadOnlyDictionary<int, Transform> others, int input) =>
        Line($"{{\"t\":\"v\",\"us\":{Now},\"k\":{tick:F3},\"b\":[{List(own)}],\"ko\":{otherTick:F3},\"o\":[{List(others)}],\"in\":{input}}}");

    // keys: held from this input on, letters of WASDUZEC.
    public void Input(int id, string keys)
    {
        if (keys != held) Line($"{{\"t\":\"i\",\"us\":{Now},\"id\":{id},\"keys\":\"{keys}\"}}");
        held = keys;
    }

    // way: up or down. bytes: of the payload.
    public void Packet(string way, int bytes) => Line($"{{\"t\":\"p\",\"us\":{Now},\"dir\":\"{way}\",\"bytes\":{bytes}}}");

    public void Clock(double serverTick, double rttSeconds) =>
        Line($"{{\"t\":\"c\",\"us\":{Now},\"k\":{serverTick:F3},\"rtt\":{(long)(rttSeconds * 1e6)}}}");

    public void Correction(int replayed) => Line($"{{\"t\":\"r\",\"us\":{Now},\"n\":{replayed}}}");

    public void Dispose() => file.Dispose();

    long Now => watch.ElapsedTicks * 1000000 / Stopwatch.Frequency;

    // Invariant: a comma as decimal point would break the log.
    void Line(FormattableString text) { lock (file) file.WriteLine(FormattableString.Invariant(text)); }

    static string List(IReadOnlyDictionary<int, Transform> bodies) => string.Join(",", bodies.Select(b =>
    {
        Vector3 p = b.Value.position; Quaternion q = b.Value.rotation;
        return FormattableString.Invariant($"[{b.Key},{p.x:F4},{p.y:F4},{p.z:F4},{q.x:F5},{q.y:F5},{q.z:F5},{q.w:F5}]");
    }));
}
