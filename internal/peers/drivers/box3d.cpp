// Box3D with the settings of its samples, but without continuous collision, which ours does not have.
#include "driver.h"

#include "box3d/box3d.h"

static b3Vec3 vec(double x, double y, double z) { return {float(x), float(y), float(z)}; }

struct Box3D {
	b3WorldId world;
	b3BodyId ground;
	std::vector<b3BodyId> bodies;
	float dt;

	explicit Box3D(const Scene& s) : dt(float(s.step())) {
		b3WorldDef def = b3DefaultWorldDef();
		def.gravity = vec(0, 0, s.of("gravity"));
		def.enableContinuous = false;
		def.workerCount = 1;
		world = b3CreateWorld(&def);
		b3ShapeDef shape = b3DefaultShapeDef();
		shape.baseMaterial.friction = float(s.of("friction"));
		shape.density = float(s.of("density"));
		b3BodyDef below = b3DefaultBodyDef();
		below.position = {0, 0, -1};
		ground = b3CreateBody(world, &below);
		const b3BoxHull plate = b3MakeBoxHull(256, 256, 1);
		b3CreateHullShape(ground, &shape, &plate.base);
		for (const Cube& c : s.cubes) {
			b3BodyDef d = b3DefaultBodyDef();
			d.type = b3_dynamicBody;
			d.position = {float(c.start.position[0]), float(c.start.position[1]), float(c.start.position[2])};
			const double* q = c.start.rotation;
			d.rotation.s = float(q[0]);
			d.rotation.v = vec(q[1], q[2], q[3]);
			d.linearDamping = float(s.of("lindamp"));
			d.angularDamping = float(s.of("angdamp"));
			d.sleepThreshold = float(s.of("sleepvel"));
			d.enableSleep = s.sleeps() || c.asleep;
			d.isAwake = !c.asleep;
			d.allowFastRotation = true; // limitSpeeds is its limit
			const b3BodyId id = b3CreateBody(world, &d);
			const b3BoxHull cube = b3MakeCubeHull(float(c.half));
			b3CreateHullShape(id, &shape, &cube.base);
			bodies.push_back(id);
		}
	}

	Body body(size_t i) {
		const b3Pos p = b3Body_GetPosition(bodies[i]);
		const b3Quat q = b3Body_GetRotation(bodies[i]);
		const b3Vec3 l = b3Body_GetLinearVelocity(bodies[i]), a = b3Body_GetAngularVelocity(bodies[i]);
		return {{p.x, p.y, p.z}, {q.s, q.v.x, q.v.y, q.v.z}, {l.x, l.y, l.z}, {a.x, a.y, a.z}};
	}

	void push(size_t i, double x, double y, double z) { b3Body_ApplyForceToCenter(bodies[i], vec(x, y, z), true); }

	void setVelocity(size_t i, const double* linear, const double* angular) {
		b3Body_SetLinearVelocity(bodies[i], vec(linear[0], linear[1], linear[2]));
		b3Body_SetAngularVelocity(bodies[i], vec(angular[0], angular[1], angular[2]));
	}

	void step() { b3World_Step(world, dt, 4); }

	bool awake(size_t i) { return b3Body_IsAwake(bodies[i]); }

	int contactPoints() {
		int twice = 0; // each contact of two cubes is listed by both
		for (const b3BodyId id : bodies) {
			std::vector<b3ContactData> list(size_t(b3Body_GetContactCapacity(id)));
			const int n = b3Body_GetContactData(id, list.data(), int(list.size()));
			for (int i = 0; i < n; i++) {
				const bool onGround = B3_ID_EQUALS(b3Shape_GetBody(list[i].shapeIdA), ground) || B3_ID_EQUALS(b3Shape_GetBody(list[i].shapeIdB), ground);
				for (int m = 0; m < list[i].manifoldCount; m++) twice += list[i].manifolds[m].pointCount * (onGround ? 2 : 1);
			}
		}
		return twice / 2;
	}
};

int main(int argc, char** argv) { return run<Box3D>(argc, argv); }
