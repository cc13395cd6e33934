// What the drivers of the peers share: a scene file is read, the engine steps it, and only its step is timed.
//
//	driver SCENE OUT
//
// writes what `ghostcube hash --scene-file SCENE --dump OUT` writes: the bodies of every 60th tick to OUT, the times of the
// steps to OUT.ms in milliseconds, and a line of JSON to standard output. An engine is a class with the functions that run
// calls. Lengths are metres, rotations are quaternions w x y z, z is up.
#pragma once
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

struct Body {
	double position[3], rotation[4], linear[3], angular[3]; // m, unit quaternion, m/s, rad/s
};

struct Cube {
	double half; // m
	Body start;  // at rest
	bool asleep; // at the start
	bool player;
};

struct Waypoint {
	double tick, x, y, lift, pull;
};

struct Scene {
	std::map<std::string, double> constants;
	std::vector<Cube> cubes;
	std::vector<Waypoint> waypoints;

	double of(const char* name) const { return constants.at(name); }
	bool sleeps() const { return of("sleep") != 0; }
	double step() const { return 1 / of("dt"); } // s; the file has ticks per second
	double mass(size_t i) const { return 8 * std::pow(cubes[i].half, 3) * of("density"); }
};

[[noreturn]] inline void fail(const std::string& why) {
	std::fprintf(stderr, "%s\n", why.c_str());
	std::exit(1);
}

inline Scene readScene(const char* name) {
	std::ifstream file(name);
	Scene s;
	for (std::string line; std::getline(file, line);) {
		std::istringstream in(line);
		std::string key;
		if (!(in >> key) || key == "name") continue;
		if (key == "body") {
			Cube c{};
			in >> c.half;
			for (double& x : c.start.position) in >> x;
			for (double& x : c.start.rotation) in >> x;
			in >> c.asleep >> c.player;
			s.cubes.push_back(c);
		} else if (key == "way") {
			Waypoint w{};
			in >> w.tick >> w.x >> w.y >> w.lift >> w.pull;
			if (w.lift != 0) fail(line + ": the drivers cannot lift");
			s.waypoints.push_back(w);
		} else {
			in >> s.constants[key];
		}
		if (!in) fail(line + ": not a line of a scene");
	}
	if (s.cubes.empty()) fail(std::string(name) + ": no bodies");
	return s;
}

inline double square(const double* v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

// steer pushes the player towards its waypoint and pulls the cubes near it, as sim/player.go does.
template <class Engine> void steer(Engine& e, const Scene& s, int tick) {
	const Waypoint* to = nullptr;
	for (const Waypoint& w : s.waypoints)
		if (w.tick <= tick) to = &w;
	size_t player = 0;
	while (player < s.cubes.size() && !s.cubes[player].player) player++;
	if (!to || player == s.cubes.size()) return;
	const Body p = e.body(player);
	auto key = [](double distance) { return distance > 0.5 ? 120.0 : distance < -0.5 ? -120.0 : 0.0; };
	double x = key(to->x - p.position[0]), y = key(to->y - p.position[1]);
	if (x * p.linear[0] + y * p.linear[1] < 0) x *= 2, y *= 2;
	if (x != 0 || y != 0) e.push(player, x, y, 0);
	if (to->pull == 0) return;
	for (size_t i = 0; i < s.cubes.size(); i++) {
		const Body b = e.body(i);
		const double d[3] = {p.position[0] - b.position[0], p.position[1] - b.position[1], p.position[2] - b.position[2]};
		const double far = square(d);
		if (i == player || far <= 0.2 * 0.2 || far >= 1.8 * 1.8) continue;
		const double force = std::fmin(200 / far, 2000) * s.mass(i) / std::sqrt(far);
		e.push(i, d[0] * force, d[1] * force, d[2] * force);
	}
}

// limitSpeeds clamps the speeds of the bodies as a step of ours begins.
template <class Engine> void limitSpeeds(Engine& e, const Scene& s) {
	const double linear = s.of("maxlin"), angular = s.of("maxang");
	for (size_t i = 0; i < s.cubes.size(); i++) {
		Body b = e.body(i);
		const double l = square(b.linear), a = square(b.angular);
		if (l <= linear * linear && a <= angular * angular) continue;
		for (double& x : b.linear) x *= std::fmin(1, linear / std::sqrt(l + 1e-30));
		for (double& x : b.angular) x *= std::fmin(1, angular / std::sqrt(a + 1e-30));
		e.setVelocity(i, b.linear, b.angular);
	}
}

template <class Engine> int run(int argc, char** argv) {
	if (argc != 3) fail("usage: driver SCENE OUT");
	const Scene s = readScene(argv[1]);
	Engine e(s);
	FILE* out = std::fopen(argv[2], "w");
	FILE* times = std::fopen((argv[2] + std::string(".ms")).c_str(), "w");
	if (!out || !times) fail(std::string("cannot write ") + argv[2]);
	const int ticks = int(s.of("ticks"));
	double awake = 0;
	for (int tick = 1; tick <= ticks; tick++) {
		steer(e, s, tick - 1);
		limitSpeeds(e, s);
		const auto start = std::chrono::steady_clock::now();
		e.step();
		const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
		std::fprintf(times, "%.6f\n", took.count());
		for (size_t i = 0; i < s.cubes.size(); i++) awake += e.awake(i);
		if (tick % 60 != 0 && tick != ticks) continue;
		for (size_t i = 0; i < s.cubes.size(); i++) {
			const Body b = e.body(i);
			std::fprintf(out, "%d %zu", tick, i);
			for (double x : b.position) std::fprintf(out, " %.9g", x);
			for (double x : b.rotation) std::fprintf(out, " %.9g", x);
			for (double x : b.linear) std::fprintf(out, " %.9g", x);
			for (double x : b.angular) std::fprintf(out, " %.9g", x);
			std::fprintf(out, "\n");
		}
	}
	if (std::fclose(out) != 0 || std::fclose(times) != 0) fail(std::string("cannot write ") + argv[2]);
	std::printf("{\"ticks\":%d,\"awake\":%.0f,\"contacts\":%d}\n", ticks, awake / ticks, e.contactPoints());
	return 0;
}
