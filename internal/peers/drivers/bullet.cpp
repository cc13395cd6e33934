// Bullet with its own settings: ten iterations of its sequential impulse solver.
#include "driver.h"

#include <btBulletDynamicsCommon.h>

static btVector3 vec(double x, double y, double z) { return {btScalar(x), btScalar(y), btScalar(z)}; }

struct Bullet {
	btDefaultCollisionConfiguration configuration;
	btCollisionDispatcher dispatcher{&configuration};
	btDbvtBroadphase broadphase;
	btSequentialImpulseConstraintSolver solver;
	btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
	std::vector<btRigidBody*> bodies;
	btScalar dt;

	explicit Bullet(const Scene& s) : dt(btScalar(s.step())) {
		world.setGravity(vec(0, 0, s.of("gravity")));
		btRigidBody::btRigidBodyConstructionInfo below(0, nullptr, new btStaticPlaneShape(vec(0, 0, 1), 0));
		below.m_friction = btScalar(s.of("friction"));
		world.addRigidBody(new btRigidBody(below));
		std::map<double, btBoxShape*> shapes;
		for (size_t i = 0; i < s.cubes.size(); i++) {
			const Cube& c = s.cubes[i];
			btBoxShape*& shape = shapes[c.half];
			if (!shape) {
				shape = new btBoxShape(vec(c.half, c.half, c.half));
				shape->setMargin(btScalar(0.01)); // its own of 4 cm is a fifth of these cubes
			}
			btVector3 inertia;
			const btScalar mass = btScalar(s.mass(i));
			shape->calculateLocalInertia(mass, inertia);
			btRigidBody::btRigidBodyConstructionInfo d(mass, nullptr, shape, inertia);
			const double *p = c.start.position, *q = c.start.rotation;
			d.m_startWorldTransform = btTransform(btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])), vec(p[0], p[1], p[2]));
			d.m_friction = below.m_friction;
			d.m_linearDamping = btScalar(1 - std::exp(-s.of("lindamp"))); // the share that is lost in a second
			d.m_angularDamping = btScalar(1 - std::exp(-s.of("angdamp")));
			d.m_linearSleepingThreshold = d.m_angularSleepingThreshold = btScalar(s.of("sleepvel"));
			btRigidBody* b = new btRigidBody(d);
			world.addRigidBody(b);
			b->forceActivationState(c.asleep ? ISLAND_SLEEPING : s.sleeps() ? ACTIVE_TAG : DISABLE_DEACTIVATION);
			bodies.push_back(b);
		}
	}

	Body body(size_t i) {
		const btTransform& t = bodies[i]->getWorldTransform();
		const btVector3 p = t.getOrigin(), l = bodies[i]->getLinearVelocity(), a = bodies[i]->getAngularVelocity();
		const btQuaternion q = t.getRotation();
		return {{p.x(), p.y(), p.z()}, {q.w(), q.x(), q.y(), q.z()}, {l.x(), l.y(), l.z()}, {a.x(), a.y(), a.z()}};
	}

	void push(size_t i, double x, double y, double z) {
		bodies[i]->activate(true);
		bodies[i]->applyCentralForce(vec(x, y, z));
	}

	void setVelocity(size_t i, const double* linear, const double* angular) {
		bodies[i]->setLinearVelocity(vec(linear[0], linear[1], linear[2]));
		bodies[i]->setAngularVelocity(vec(angular[0], angular[1], angular[2]));
	}

	void step() { world.stepSimulation(dt, 0); }

	bool awake(size_t i) { return bodies[i]->isActive(); }

	int contactPoints() {
		int n = 0;
		for (int i = 0; i < dispatcher.getNumManifolds(); i++) n += dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
		return n;
	}
};

int main(int argc, char** argv) { return run<Bullet>(argc, argv); }
