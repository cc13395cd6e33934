#include "go_asm.h"
#include "textflag.h"

// Four contacts at a time, in the lanes of SSE2, which every amd64 processor has. Each lane repeats the operations of
// contactsolver.go in their order, so its results have the same bits. Only sums and products whose operands are
// exchanged differ from it, which changes nothing.
//
// AX, BX, R12 and R13 point at the bodies b of the lanes, R8 to R11 at the bodies a, SI at the block, DI at a point.

// Offsets of pairs of neighbouring numbers in a solver body.
#define V_XY (solverBody_v+0)
#define V_Z_U_X (solverBody_v+8)
#define U_YZ (solverBody_u+4)
#define DP_XY (solverBody_dp+0)
#define DP_Z_DTHETA_X (solverBody_dp+8)
#define DTHETA_YZ (solverBody_dtheta+4)

// GATHER loads two neighbouring numbers of four bodies into X and Y. T is a temporary.
#define GATHER(p0, p1, p2, p3, off, X, Y, T) \
	MOVSD off(p0), X; \
	MOVHPS off(p1), X; \
	MOVSD off(p2), T; \
	MOVHPS off(p3), T; \
	MOVAPS X, Y; \
	SHUFPS $0x88, T, X; \
	SHUFPS $0xDD, T, Y

// SCATTER stores X and Y as two neighbouring numbers of four bodies. It destroys X and T.
#define SCATTER(p0, p1, p2, p3, off, X, Y, T) \
	MOVAPS X, T; \
	UNPCKLPS Y, T; \
	UNPCKHPS Y, X; \
	MOVLPS T, off(p0); \
	MOVHPS T, off(p1); \
	MOVLPS X, off(p2); \
	MOVHPS X, off(p3)

#define GATHER_A(off, X, Y, T) GATHER(R8, R9, R10, R11, off, X, Y, T)
#define GATHER_B(off, X, Y, T) GATHER(AX, BX, R12, R13, off, X, Y, T)
#define SCATTER_A(off, X, Y, T) SCATTER(R8, R9, R10, R11, off, X, Y, T)
#define SCATTER_B(off, X, Y, T) SCATTER(AX, BX, R12, R13, off, X, Y, T)

// DOT sets R to the dot product of the vectors at off(p) and (X, Y, Z).
#define DOT(p, off, X, Y, Z, R, T) \
	MOVAPS (off)(p), R; \
	MULPS X, R; \
	MOVAPS (off+16)(p), T; \
	MULPS Y, T; \
	ADDPS T, R; \
	MOVAPS (off+32)(p), T; \
	MULPS Z, T; \
	ADDPS T, R

// ADD_SCALED adds S times the vectors at off(p) to (X, Y, Z).
#define ADD_SCALED(p, off, S, X, Y, Z, T) \
	MOVAPS (off)(p), T; \
	MULPS S, T; \
	ADDPS T, X; \
	MOVAPS (off+16)(p), T; \
	MULPS S, T; \
	ADDPS T, Y; \
	MOVAPS (off+32)(p), T; \
	MULPS S, T; \
	ADDPS T, Z

// SUB_SCALED subtracts S times the vectors at off(p) from (X, Y, Z).
#define SUB_SCALED(p, off, S, X, Y, Z, T) \
	MOVAPS (off)(p), T; \
	MULPS S, T; \
	SUBPS T, X; \
	MOVAPS (off+16)(p), T; \
	MULPS S, T; \
	SUBPS T, Y; \
	MOVAPS (off+32)(p), T; \
	MULPS S, T; \
	SUBPS T, Z

// CHOOSE sets X to Y where the mask M is set. It destroys Y.
#define CHOOSE(M, Y, X) \
	XORPS X, Y; \
	ANDPS M, Y; \
	XORPS Y, X

// BODIES sets the pointers to the bodies of a block. DX points at the solver's bodies.
#define BODIES \
	MOVLQSX (contactBlock_a+0)(SI), R8; \
	MOVLQSX (contactBlock_a+4)(SI), R9; \
	MOVLQSX (contactBlock_a+8)(SI), R10; \
	MOVLQSX (contactBlock_a+12)(SI), R11; \
	MOVLQSX (contactBlock_b+0)(SI), AX; \
	MOVLQSX (contactBlock_b+4)(SI), BX; \
	MOVLQSX (contactBlock_b+8)(SI), R12; \
	MOVLQSX (contactBlock_b+12)(SI), R13; \
	IMUL3Q $solverBody__size, R8, R8; \
	ADDQ DX, R8; \
	IMUL3Q $solverBody__size, R9, R9; \
	ADDQ DX, R9; \
	IMUL3Q $solverBody__size, R10, R10; \
	ADDQ DX, R10; \
	IMUL3Q $solverBody__size, R11, R11; \
	ADDQ DX, R11; \
	IMUL3Q $solverBody__size, AX, AX; \
	ADDQ DX, AX; \
	IMUL3Q $solverBody__size, BX, BX; \
	ADDQ DX, BX; \
	IMUL3Q $solverBody__size, R12, R12; \
	ADDQ DX, R12; \
	IMUL3Q $solverBody__size, R13, R13; \
	ADDQ DX, R13

// SEPARATIONS_BEGIN sets X0 to the displacement along the normal, X3, X4, X5 to the rotation of b, X9, X10, X11 to that of a.
#define SEPARATIONS_BEGIN \
	GATHER_B(DP_XY, X0, X1, X15); \
	GATHER_B(DP_Z_DTHETA_X, X2, X3, X15); \
	GATHER_B(DTHETA_YZ, X4, X5, X15); \
	GATHER_A(DP_XY, X6, X7, X15); \
	GATHER_A(DP_Z_DTHETA_X, X8, X9, X15); \
	GATHER_A(DTHETA_YZ, X10, X11, X15); \
	SUBPS X6, X0; \
	SUBPS X7, X1; \
	SUBPS X8, X2; \
	MULPS (contactBlock_normal)(SI), X0; \
	MULPS (contactBlock_normal+16)(SI), X1; \
	MULPS (contactBlock_normal+32)(SI), X2; \
	ADDPS X1, X0; \
	ADDPS X2, X0

// SEPARATION computes the separation of a point.
#define SEPARATION \
	MOVAPS blockPoint_separation(DI), X12; \
	ADDPS X0, X12; \
	DOT(DI, blockPoint_sb, X3, X4, X5, X13, X14); \
	ADDPS X13, X12; \
	DOT(DI, blockPoint_sa, X9, X10, X11, X13, X14); \
	SUBPS X13, X12; \
	MOVAPS X12, blockPoint_now(DI)

// VELOCITIES sets X6 to the relative velocity along the normal, X0, X1, X2 to the u of a, X3, X4, X5 to that of b.
#define VELOCITIES \
	GATHER_B(V_XY, X6, X7, X15); \
	GATHER_B(V_Z_U_X, X8, X3, X15); \
	GATHER_B(U_YZ, X4, X5, X15); \
	GATHER_A(V_XY, X9, X10, X15); \
	GATHER_A(V_Z_U_X, X11, X0, X15); \
	GATHER_A(U_YZ, X1, X2, X15); \
	SUBPS X9, X6; \
	SUBPS X10, X7; \
	SUBPS X11, X8; \
	MULPS (contactBlock_normal)(SI), X6; \
	MULPS (contactBlock_normal+16)(SI), X7; \
	MULPS (contactBlock_normal+32)(SI), X8; \
	ADDPS X7, X6; \
	ADDPS X8, X6

// VELOCITY sets X10 to the relative velocity of a point.
#define VELOCITY \
	DOT(DI, blockPoint_sb, X3, X4, X5, X10, X11); \
	ADDPS X6, X10; \
	DOT(DI, blockPoint_sa, X0, X1, X2, X11, X12); \
	SUBPS X11, X10

// APPLY applies an impulse X10 at a point to X6, and to the u of both bodies, and adds it to X7.
#define APPLY \
	ADDPS X10, X7; \
	MOVAPS contactBlock_invMass(SI), X11; \
	MULPS X10, X11; \
	ADDPS X11, X6; \
	SUB_SCALED(DI, blockPoint_sa, X10, X0, X1, X2, X12); \
	ADD_SCALED(DI, blockPoint_sb, X10, X3, X4, X5, X12)

// func aligned(blocks []contactBlock) bool
TEXT ·aligned(SB), NOSPLIT, $0-25
	MOVQ blocks_base+0(FP), AX
	TESTQ $15, AX
	SETEQ ret+24(FP)
	RET

// func warmStartBlocks(blocks []contactBlock, bodies []solverBody)
TEXT ·warmStartBlocks(SB), NOSPLIT, $0-48
	MOVQ blocks_base+0(FP), SI
	MOVQ blocks_len+8(FP), CX
	MOVQ bodies_base+24(FP), DX
	TESTQ CX, CX
	JZ warmDone

warmBlock:
	BODIES
	GATHER_A(V_Z_U_X, X8, X0, X15)
	GATHER_A(U_YZ, X1, X2, X15)
	GATHER_B(V_Z_U_X, X9, X3, X15)
	GATHER_B(U_YZ, X4, X5, X15)
	XORPS X7, X7
	LEAQ contactBlock_points(SI), DI
	MOVL contactBlock_counts(SI), R15
	TESTL R15, R15
	JZ warmFriction

warmPoint:
	MOVAPS blockPoint_normalImpulse(DI), X10
	ADDPS X10, X7
	SUB_SCALED(DI, blockPoint_sa, X10, X0, X1, X2, X12)
	ADD_SCALED(DI, blockPoint_sb, X10, X3, X4, X5, X12)
	ADDQ $blockPoint__size, DI
	DECL R15
	JNZ warmPoint

warmFriction:
	MOVAPS contactBlock_friction1(SI), X13
	MOVAPS contactBlock_friction2(SI), X14
	ADD_SCALED(SI, contactBlock_b1, X13, X3, X4, X5, X12)
	ADD_SCALED(SI, contactBlock_b2, X14, X3, X4, X5, X12)
	SUB_SCALED(SI, contactBlock_a1, X13, X0, X1, X2, X12)
	SUB_SCALED(SI, contactBlock_a2, X14, X0, X1, X2, X12)
	MOVAPS contactBlock_twistImpulse(SI), X11
	ADD_SCALED(SI, contactBlock_nb, X11, X3, X4, X5, X12)
	SUB_SCALED(SI, contactBlock_na, X11, X0, X1, X2, X12)
	SCATTER_A(U_YZ, X1, X2, X15)
	SCATTER_B(U_YZ, X4, X5, X15)
	// X4, X5, X6 = the impulse
	MOVAPS X7, X4
	MOVAPS X7, X5
	MOVAPS X7, X6
	MULPS (contactBlock_normal)(SI), X4
	MULPS (contactBlock_normal+16)(SI), X5
	MULPS (contactBlock_normal+32)(SI), X6
	ADD_SCALED(SI, contactBlock_t1, X13, X4, X5, X6, X12)
	ADD_SCALED(SI, contactBlock_t2, X14, X4, X5, X6, X12)
	GATHER_A(V_XY, X1, X2, X15)
	GATHER_B(V_XY, X10, X11, X15)
	MOVAPS contactBlock_invMassA(SI), X13
	MOVAPS contactBlock_invMassB(SI), X14
	MOVAPS X4, X12
	MULPS X13, X12
	SUBPS X12, X1
	MOVAPS X5, X12
	MULPS X13, X12
	SUBPS X12, X2
	MULPS X6, X13
	SUBPS X13, X8
	MULPS X14, X4
	ADDPS X4, X10
	MULPS X14, X5
	ADDPS X5, X11
	MULPS X14, X6
	ADDPS X6, X9
	SCATTER_A(V_XY, X1, X2, X15)
	SCATTER_A(V_Z_U_X, X8, X0, X15)
	SCATTER_B(V_XY, X10, X11, X15)
	SCATTER_B(V_Z_U_X, X9, X3, X15)
	ADDQ $contactBlock__size, SI
	DECQ CX
	JNZ warmBlock

warmDone:
	RET

// func solveBlocks(blocks []contactBlock, bodies []solverBody, invH, minBias float32, first bool)
TEXT ·solveBlocks(SB), NOSPLIT, $0-57
	MOVQ blocks_base+0(FP), SI
	MOVQ blocks_len+8(FP), CX
	MOVQ bodies_base+24(FP), DX
	TESTQ CX, CX
	JZ solveDone

solveBlock:
	BODIES
	MOVBLZX first+56(FP), R15
	TESTL R15, R15
	JZ solveVelocities
	MOVL contactBlock_counts(SI), R15
	TESTL R15, R15
	JZ solveVelocities
	SEPARATIONS_BEGIN
	LEAQ contactBlock_points(SI), DI

solveSeparation:
	SEPARATION
	ADDQ $blockPoint__size, DI
	DECL R15
	JNZ solveSeparation

solveVelocities:
	VELOCITIES
	XORPS X7, X7
	MOVL contactBlock_counts(SI), R15
	TESTL R15, R15
	JZ solveStore
	LEAQ contactBlock_points(SI), DI
	PCMPEQL X8, X8
	PSLLL $31, X8
	MOVSS minBias+52(FP), X9
	SHUFPS $0, X9, X9
	MOVSS invH+48(FP), X15
	SHUFPS $0, X15, X15

solvePoint:
	VELOCITY
	MOVAPS blockPoint_now(DI), X12
	XORPS X11, X11
	CMPPS X12, X11, $1 // X11: there is a gap
	MOVAPS X12, X13
	MULPS X15, X13
	ADDPS X10, X13
	MULPS blockPoint_normalMass(DI), X13
	XORPS X8, X13 // the change with a gap
	MULPS contactBlock_massScale(SI), X10
	MULPS contactBlock_rate(SI), X12
	MOVAPS X9, X14
	MAXPS X12, X14 // the bias
	ADDPS X14, X10
	MULPS blockPoint_normalMass(DI), X10
	XORPS X8, X10
	MOVAPS blockPoint_normalImpulse(DI), X12
	MOVAPS X12, X14
	MULPS contactBlock_impulseScale(SI), X14
	SUBPS X14, X10 // the change without
	CHOOSE(X11, X13, X10)
	ADDPS X12, X10
	XORPS X13, X13
	MAXPS X10, X13 // the new impulse
	MOVAPS X13, blockPoint_normalImpulse(DI)
	MOVAPS X13, X10
	SUBPS X12, X10
	APPLY
	ADDQ $blockPoint__size, DI
	DECL R15
	JNZ solvePoint

solveStore:
	SCATTER_A(U_YZ, X1, X2, X15)
	SCATTER_B(U_YZ, X4, X5, X15)
	GATHER_A(V_XY, X8, X9, X15)
	GATHER_A(V_Z_U_X, X10, X1, X15)
	GATHER_B(V_XY, X11, X12, X15)
	GATHER_B(V_Z_U_X, X13, X1, X15)
	MOVAPS contactBlock_invMassA(SI), X14
	MULPS X7, X14
	SUB_SCALED(SI, contactBlock_normal, X14, X8, X9, X10, X15)
	MULPS contactBlock_invMassB(SI), X7
	ADD_SCALED(SI, contactBlock_normal, X7, X11, X12, X13, X15)
	SCATTER_A(V_XY, X8, X9, X15)
	SCATTER_A(V_Z_U_X, X10, X0, X15)
	SCATTER_B(V_XY, X11, X12, X15)
	SCATTER_B(V_Z_U_X, X13, X3, X15)
	ADDQ $contactBlock__size, SI
	DECQ CX
	JNZ solveBlock

solveDone:
	RET

// func relaxBlocks(blocks []contactBlock, bodies []solverBody, invH float32)
TEXT ·relaxBlocks(SB), NOSPLIT, $0-52
	MOVQ blocks_base+0(FP), SI
	MOVQ blocks_len+8(FP), CX
	MOVQ bodies_base+24(FP), DX
	TESTQ CX, CX
	JZ relaxDone

relaxBlock:
	BODIES
	MOVL contactBlock_counts(SI), R15
	TESTL R15, R15
	JZ relaxVelocities
	SEPARATIONS_BEGIN
	LEAQ contactBlock_points(SI), DI

relaxSeparation:
	SEPARATION
	ADDQ $blockPoint__size, DI
	DECL R15
	JNZ relaxSeparation

relaxVelocities:
	VELOCITIES
	XORPS X7, X7 // sum of the changes
	XORPS X8, X8 // sum of the impulses
	XORPS X9, X9 // and of those times their arms
	MOVSS invH+48(FP), X15
	SHUFPS $0, X15, X15
	MOVL contactBlock_counts(SI), R15
	TESTL R15, R15
	JZ relaxFriction
	LEAQ contactBlock_points(SI), DI

relaxPoint:
	VELOCITY
	MOVAPS blockPoint_now(DI), X12
	XORPS X11, X11
	CMPPS X12, X11, $1 // X11: there is a gap
	MULPS X15, X12
	ADDPS X10, X12
	CHOOSE(X11, X12, X10)
	MULPS blockPoint_normalMass(DI), X10
	MOVAPS blockPoint_normalImpulse(DI), X11
	MOVAPS X11, X12
	SUBPS X10, X12 // the new impulse
	XORPS X10, X10
	MAXPS X12, X10
	MOVAPS X10, blockPoint_normalImpulse(DI)
	ADDPS X10, X8
	MOVAPS blockPoint_leverArm(DI), X12
	MULPS X10, X12
	ADDPS X12, X9
	SUBPS X11, X10
	APPLY
	ADDQ $blockPoint__size, DI
	DECL R15
	JNZ relaxPoint

relaxFriction:
	// Twist. X9 = the largest impulse, X10 = the new one.
	MULPS contactBlock_friction(SI), X9
	MULPS contactBlock_friction(SI), X8
	DOT(SI, contactBlock_nb, X3, X4, X5, X10, X15)
	DOT(SI, contactBlock_na, X0, X1, X2, X11, X15)
	SUBPS X11, X10
	MULPS contactBlock_twistMass(SI), X10
	MOVAPS contactBlock_twistImpulse(SI), X11
	MOVAPS X11, X12
	SUBPS X10, X12
	PCMPEQL X13, X13
	PSLLL $31, X13
	XORPS X9, X13 // the smallest impulse
	MAXPS X12, X13
	MOVAPS X9, X10
	MINPS X13, X10
	MOVAPS X10, contactBlock_twistImpulse(SI)
	SUBPS X11, X10
	SUB_SCALED(SI, contactBlock_na, X10, X0, X1, X2, X15)
	ADD_SCALED(SI, contactBlock_nb, X10, X3, X4, X5, X15)

	// Slip. X9, X10, X11 = the relative velocity.
	GATHER_B(V_XY, X9, X10, X15)
	GATHER_B(V_Z_U_X, X11, X12, X15)
	MOVAPS contactBlock_invMassB(SI), X14
	MULPS X7, X14
	ADD_SCALED(SI, contactBlock_normal, X14, X9, X10, X11, X15)
	MOVAPS contactBlock_invMassA(SI), X14
	MULPS X7, X14
	GATHER_A(V_XY, X12, X13, X15)
	MOVAPS (contactBlock_normal)(SI), X6
	MULPS X14, X6
	SUBPS X6, X12
	SUBPS X12, X9
	MOVAPS (contactBlock_normal+16)(SI), X6
	MULPS X14, X6
	SUBPS X6, X13
	SUBPS X13, X10
	GATHER_A(V_Z_U_X, X12, X13, X15)
	MOVAPS (contactBlock_normal+32)(SI), X6
	MULPS X14, X6
	SUBPS X6, X12
	SUBPS X12, X11
	DOT(SI, contactBlock_t1, X9, X10, X11, X12, X15)
	DOT(SI, contactBlock_b1, X3, X4, X5, X13, X15)
	ADDPS X13, X12
	DOT(SI, contactBlock_a1, X0, X1, X2, X13, X15)
	SUBPS X13, X12 // s1
	DOT(SI, contactBlock_t2, X9, X10, X11, X13, X15)
	DOT(SI, contactBlock_b2, X3, X4, X5, X14, X15)
	ADDPS X14, X13
	DOT(SI, contactBlock_a2, X0, X1, X2, X14, X15)
	SUBPS X14, X13 // s2

	// Friction. X9, X10 = the new impulses.
	MOVAPS contactBlock_tangentMass11(SI), X14
	MULPS X12, X14
	MOVAPS contactBlock_tangentMass12(SI), X15
	MULPS X15, X12
	MULPS X13, X15
	ADDPS X15, X14
	MULPS contactBlock_tangentMass22(SI), X13
	ADDPS X12, X13
	MOVAPS contactBlock_friction1(SI), X9
	SUBPS X14, X9
	MOVAPS contactBlock_friction2(SI), X10
	SUBPS X13, X10
	MOVAPS X9, X11
	MULPS X9, X11
	MOVAPS X10, X12
	MULPS X10, X12
	ADDPS X12, X11
	MOVAPS X8, X12
	MULPS X8, X12
	CMPPS X11, X12, $1 // X12: it slides
	SQRTPS X11, X11
	DIVPS X11, X8
	MOVAPS X9, X13
	MULPS X8, X13
	MULPS X10, X8
	CHOOSE(X12, X13, X9)
	CHOOSE(X12, X8, X10)
	MOVAPS contactBlock_friction1(SI), X11
	MOVAPS contactBlock_friction2(SI), X12
	MOVAPS X9, contactBlock_friction1(SI)
	MOVAPS X10, contactBlock_friction2(SI)
	SUBPS X11, X9
	SUBPS X12, X10
	ADD_SCALED(SI, contactBlock_b1, X9, X3, X4, X5, X15)
	ADD_SCALED(SI, contactBlock_b2, X10, X3, X4, X5, X15)
	SUB_SCALED(SI, contactBlock_a1, X9, X0, X1, X2, X15)
	SUB_SCALED(SI, contactBlock_a2, X10, X0, X1, X2, X15)
	SCATTER_A(U_YZ, X1, X2, X15)
	SCATTER_B(U_YZ, X4, X5, X15)

	// X11, X12, X13 = the impulse
	MOVAPS (contactBlock_t1)(SI), X11
	MULPS X9, X11
	MOVAPS (contactBlock_t1+16)(SI), X12
	MULPS X9, X12
	MOVAPS (contactBlock_t1+32)(SI), X13
	MULPS X9, X13
	ADD_SCALED(SI, contactBlock_t2, X10, X11, X12, X13, X15)

	// The velocities of b, then of a. X7 is the sum of the changes of normal impulses.
	GATHER_B(V_XY, X1, X2, X15)
	GATHER_B(V_Z_U_X, X4, X5, X15)
	MOVAPS contactBlock_invMassB(SI), X14
	MOVAPS X7, X6
	MULPS X14, X6
	ADD_SCALED(SI, contactBlock_normal, X6, X1, X2, X4, X15)
	MOVAPS X11, X15
	MULPS X14, X15
	ADDPS X15, X1
	MOVAPS X12, X15
	MULPS X14, X15
	ADDPS X15, X2
	MULPS X13, X14
	ADDPS X14, X4
	SCATTER_B(V_XY, X1, X2, X15)
	SCATTER_B(V_Z_U_X, X4, X3, X15)
	GATHER_A(V_XY, X1, X2, X15)
	GATHER_A(V_Z_U_X, X4, X5, X15)
	MOVAPS contactBlock_invMassA(SI), X14
	MULPS X14, X7
	SUB_SCALED(SI, contactBlock_normal, X7, X1, X2, X4, X15)
	MULPS X14, X11
	SUBPS X11, X1
	MULPS X14, X12
	SUBPS X12, X2
	MULPS X14, X13
	SUBPS X13, X4
	SCATTER_A(V_XY, X1, X2, X15)
	SCATTER_A(V_Z_U_X, X4, X0, X15)
	ADDQ $contactBlock__size, SI
	DECQ CX
	JNZ relaxBlock

relaxDone:
	RET
