// ODE with its own settings: QuickStep with twenty iterations, the friction pyramid, eight contact points a pair.
#include "driver.h"

#include <ode/ode.h>

struct Ode {
	dWorldID world;
	dSpaceID space;
	dJointGroupID joints;
	std::vector<dBodyID> bodies;
	dContact contacts[8];
	int points = 0; // of the last step
	dReal dt;

	explicit Ode(const Scene& s) : dt(dReal(s.step())) {
		dInitODE2(0);
		world = dWorldCreate();
		space = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
		joints = dJointGroupCreate(0);
		dCreatePlane(space, 0, 0, 1, 0);
		dWorldSetGravity(world, 0, 0, dReal(s.of("gravity")));
		dWorldSetLinearDamping(world, dReal(s.of("lindamp") * s.step())); // the share that is lost in a step
		dWorldSetAngularDamping(world, dReal(s.of("angdamp") * s.step()));
		dWorldSetAutoDisableFlag(world, s.sleeps());
		dWorldSetAutoDisableLinearThreshold(world, dReal(s.of("sleepvel")));
		dWorldSetAutoDisableAngularThreshold(world, dReal(s.of("sleepvel")));
		std::memset(contacts, 0, sizeof contacts);
		for (dContact& c : contacts) {
			c.surface.mode = dContactApprox1;
			c.surface.mu = dReal(s.of("friction"));
		}
		for (size_t i = 0; i < s.cubes.size(); i++) {
			const Cube& c = s.cubes[i];
			const dReal side = dReal(2 * c.half);
			const dBodyID b = dBodyCreate(world);
			dMass mass;
			dMassSetBoxTotal(&mass, dReal(s.mass(i)), side, side, side);
			dBodySetMass(b, &mass);
			dGeomSetBody(dCreateBox(space, side, side, side), b);
			const double *p = c.start.position, *q = c.start.rotation;
			dBodySetPosition(b, dReal(p[0]), dReal(p[1]), dReal(p[2]));
			const dQuaternion rotation = {dReal(q[0]), dReal(q[1]), dReal(q[2]), dReal(q[3])};
			dBodySetQuaternion(b, rotation);
			if (c.asleep) dBodyDisable(b);
			bodies.push_back(b);
		}
	}

	static bool moves(dBodyID b) { return b && dBodyIsEnabled(b); }

	static void collide(void* data, dGeomID a, dGeomID b) {
		Ode& e = *static_cast<Ode*>(data);
		const dBodyID first = dGeomGetBody(a), second = dGeomGetBody(b);
		if (!moves(first) && !moves(second)) return;
		const int n = dCollide(a, b, 8, &e.contacts[0].geom, sizeof(dContact));
		for (int i = 0; i < n; i++) dJointAttach(dJointCreateContact(e.world, e.joints, &e.contacts[i]), first, second);
		e.points += n;
	}

	Body body(size_t i) {
		const dReal *p = dBodyGetPosition(bodies[i]), *q = dBodyGetQuaternion(bodies[i]);
		const dReal *l = dBodyGetLinearVel(bodies[i]), *a = dBodyGetAngularVel(bodies[i]);
		return {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}, {l[0], l[1], l[2]}, {a[0], a[1], a[2]}};
	}

	void push(size_t i, double x, double y, double z) {
		dBodyEnable(bodies[i]);
		dBodyAddForce(bodies[i], dReal(x), dReal(y), dReal(z));
	}

	void setVelocity(size_t i, const double* linear, const double* angular) {
		dBodySetLinearVel(bodies[i], dReal(linear[0]), dReal(linear[1]), dReal(linear[2]));
		dBodySetAngularVel(bodies[i], dReal(angular[0]), dReal(angular[1]), dReal(angular[2]));
	}

	void step() {
		points = 0;
		dJointGroupEmpty(joints);
		dSpaceCollide(space, this, &Ode::collide);
		dWorldQuickStep(world, dt);
	}

	bool awake(size_t i) { return dBodyIsEnabled(bodies[i]); }

	int contactPoints() { return points; }
};

int main(int argc, char** argv) { return run<Ode>(argc, argv); }
