// For ghostcube score (docs/gamelog.md): copy this into a Unity project, 2020.2 or later (tested with stubs of Unity). Call Server
// after each step of physics, from a coroutine that yields WaitForFixedUpdate (FixedUpdate is before it; an interpolated Transform
// is not the simulated pose); Key in Update, when a key is read; Input in each tick; View in Application.onBeforeRender; Packet for
// each datagram; Clock once a second, in role both too, with Time.timeAsDouble / Time.fixedDeltaTime; Dispose in OnDestroy.
using System.Collections.Generic;
using System.IO;
using UnityEngine;

public sealed class GameLog : System.IDisposable
{
    readonly System.Diagnostics.Stopwatch watch = System.Diagnostics.Stopwatch.StartNew();
    readonly FileStream file;
    byte[] line = new byte[1 << 16]; int length; string held = ""; double key = -1, flushed;
    // role: client, server or both. hz: ticks a second. fps: frames a second, 10 to 240. player: the player's body.
    public GameLog(string path, string role, int hz, int fps, int player) {
        file = new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.Read, 1 << 16);
        Line("{'t':'h','v':1,'role':'$','up':'y','hz':#,'fps':#,'body':#}", hz, fps, player, text: role);
    }
    public void Server(int tick, Dictionary<int, Rigidbody> bodies) => Line("{'t':'s','k':#,'b':[@]}", tick, simulated: bodies);
    // Bodies that are drawn at one server tick, and those at another one. input: the newest in the player's pose.
    public void View(double tick, Dictionary<int, Transform> own, double otherTick, Dictionary<int, Transform> others, int input) =>
        Line("{'t':'v','us':#,'k':%,'b':[@],'ko':%,'o':[@],'in':#}", Now, System.Math.Max(tick, 0), System.Math.Max(otherTick, 0), input, own: own, others: others);
    public void Key() => key = key < 0 ? Now : key;
    // keys: held from this input on, letters of WASDUZEC. The time is that of Key, which is before the tick.
    public void Input(int id, string keys) {
        if (keys != held) Line("{'t':'i','us':#,'id':#,'keys':'$'}", key < 0 ? Now : key, id, text: keys);
        (held, key) = (keys, -1);
    }
    // way: up or down. bytes: of the payload. serverTick: with its fraction.
    public void Packet(string way, int bytes) => Line("{'t':'p','us':#,'dir':'$','bytes':#}", Now, bytes, text: way);
    public void Clock(double serverTick, double rttSeconds) => Line("{'t':'c','us':#,'k':%,'rtt':#}", Now, serverTick, rttSeconds * 1e6);
    public void Correction(int replayed) => Line("{'t':'r','us':#,'n':#}", Now, replayed);
    public void Dispose() => file.Dispose();
    double Now => (long)(watch.ElapsedTicks * (1e6 / System.Diagnostics.Stopwatch.Frequency));
    // In a format ' is a quote, # the next number, whole, % one with three digits, $ the text, and @ the next bodies.
    void Line(string format, double a, double b = 0, double c = 0, double d = 0, string text = "", Dictionary<int, Rigidbody> simulated = null,
        Dictionary<int, Transform> own = null, Dictionary<int, Transform> others = null) {
        lock (file) { if (!file.CanWrite) return; length = 0;
            foreach (char x in format)
                if (x == '#' || x == '%') { Number(a, x == '%' ? 3 : 0); (a, b, c) = (b, c, d); }
                else if (x == '$') foreach (char y in text) Put(y);
                else if (x != '@') Put(x == '\'' ? '"' : x);
                else if (simulated != null) foreach (var p in simulated) Body(p.Key, p.Value.position, p.Value.rotation);
                else { if (own != null) foreach (var p in own) Body(p.Key, p.Value.position, p.Value.rotation); own = others; }
            Put('\n'); file.Write(line, 0, length);
            if (Now - flushed > 1e6) { file.Flush(); flushed = Now; } // a crash costs a second
        }
    }
    void Body(int id, Vector3 p, Quaternion q) {
        if (line[length - 1] != '[') Put(','); Put('['); Number(id, 0);
        for (int i = 0; i < 7; i++) { Put(','); Number(i < 3 ? p[i] : q[i - 3], i < 3 ? 4 : 5); } Put(']');
    }
    void Number(double v, int digits) {
        if (v < 0) { Put('-'); v = -v; } if (!(v < 1e13)) { foreach (char x in "NaN") Put(x); return; }
        long scale = (long)System.Math.Pow(10, digits), n = (long)(v * scale + 0.5), unit = scale;
        while (n / unit >= 10) unit *= 10;
        for (; unit > 0; unit /= 10) { Put((char)('0' + n / unit % 10)); if (unit == scale && digits > 0) Put('.'); }
    }
    void Put(char c) { if (length == line.Length) System.Array.Resize(ref line, 2 * length); line[length++] = (byte)c; }
}
