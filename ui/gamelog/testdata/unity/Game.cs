// What docs/examples/loggers/GameLog.cs needs of Unity, and a game whose clock is its frame: that of TestGoLogger. Arguments: its
// log, and that of a broken game.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using UnityEngine;

namespace System.Diagnostics {
    public sealed class Stopwatch {
        public const long Frequency = 10000000;
        public static long Now;
        public static Stopwatch StartNew() => new Stopwatch();
        public long ElapsedTicks => Now;
    }
}

namespace UnityEngine {
    public struct Vector3 {
        public float x, y, z;
        public float this[int i] => i == 0 ? x : i == 1 ? y : z;
    }
    public struct Quaternion {
        public float x, y, z, w;
        public float this[int i] => i == 0 ? x : i == 1 ? y : i == 2 ? z : w;
    }
    public class Transform {
        public Vector3 position;
        public Quaternion rotation = new Quaternion { w = 1 };
    }
    public class Rigidbody : Transform { }
}

static class Game {
    static Dictionary<int, T> At<T>(int tick, params int[] bodies) where T : Transform, new() {
        var list = new Dictionary<int, T>();
        foreach (int id in bodies) {
            float x = Math.Max(tick, 0) * 0.05f;
            list[id] = new T { position = id == 7 ? new Vector3 { x = x } : new Vector3 { x = -x, y = 1 } };
        }
        return list;
    }
    static void Main(string[] paths) {
        Thread.CurrentThread.CurrentCulture = new CultureInfo("de-DE"); // which has decimal commas
        if (0.5.ToString() != "0,5") throw new Exception("no decimal comma");
        var log = new GameLog(paths[0], "both", 60, 60, 7);
        for (int frame = 0; frame < 400; frame++) {
            System.Diagnostics.Stopwatch.Now = frame * 10000000L / 60;
            log.Server(frame, At<Rigidbody>(frame, 7, 9));
            log.Input(frame, frame / 50 % 2 == 1 ? "W" : "");
            log.Packet("up", 22);
            log.Packet("down", 122);
            if (frame % 60 == 0) { log.Clock(frame, 0.1); log.Correction(4); }
            log.View(frame - 6, At<Transform>(frame - 6, 7), frame - 6, At<Transform>(frame - 6, 9), Math.Max(frame - 6, -1));
            if (frame % 50 == 49) { // keys are read a frame before their input
                log.Key();
                System.Diagnostics.Stopwatch.Now += 40000;
                log.Key();
            }
        }
        log.Dispose();
        log.Dispose();
        log.Server(400, At<Rigidbody>(400, 7)); // by a script that ends later

        log = new GameLog(paths[1], "both", 60, 60, 7);
        foreach (float x in new[] { float.NaN, float.NegativeInfinity, 1e30f }) {
            var bodies = At<Rigidbody>(0, 7);
            bodies[7].position.x = x;
            log.Server(1, bodies);
        }
        log.Dispose();
    }
}
