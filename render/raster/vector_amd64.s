#include "go_asm.h"
#include "textflag.h"

// Four numbers at a time, in the lanes of SSE2, which every amd64 processor has. Each lane repeats the operations of the
// Go code in their order, so its results have the same bits.

DATA ·rows<>+0(SB)/4, $-1.0
DATA ·rows<>+4(SB)/4, $0.0
DATA ·rows<>+8(SB)/4, $1.0
DATA ·rows<>+12(SB)/4, $2.0
GLOBL ·rows<>(SB), RODATA|NOPTR, $16

// CONSTANT is a number in all lanes.
#define CONSTANT(name, value) \
	DATA name<>+0(SB)/4, $value; \
	DATA name<>+4(SB)/4, $value; \
	DATA name<>+8(SB)/4, $value; \
	DATA name<>+12(SB)/4, $value; \
	GLOBL name<>(SB), RODATA|NOPTR, $16

CONSTANT(·ones, 1.0)
CONSTANT(·halves, 0.5)
CONSTANT(·bytes, 255.0)
CONSTANT(·magnitude, 0x7fffffff)
CONSTANT(·opaque, 0xff000000)
CONSTANT(·lineFade, 0.15)

#define SPREAD(X) SHUFPS $0, X, X

// func shadeVectors(texels *float32, d, gu, gv, fu, fv float32) float32
TEXT ·shadeVectors(SB), NOSPLIT, $0-36
	MOVQ texels+0(FP), SI
	MOVUPS (SI), X0
	MOVUPS 4096(SI), X1
	MOVUPS 8192(SI), X2
	MOVUPS 12288(SI), X3
	// A row in each lane: X0, X1, X2, X3 are the columns.
	MOVAPS X0, X4
	UNPCKLPS X1, X0
	UNPCKHPS X1, X4
	MOVAPS X2, X5
	UNPCKLPS X3, X2
	UNPCKHPS X3, X5
	MOVAPS X0, X1
	MOVLHPS X2, X0
	MOVHLPS X1, X2
	MOVAPS X2, X1
	MOVAPS X4, X2
	MOVLHPS X5, X2
	MOVHLPS X4, X5
	MOVAPS X5, X3

	MOVUPS ·ones<>(SB), X15
	MOVSS fu+20(FP), X6
	SPREAD(X6)
	MOVSS fv+24(FP), X7
	MOVSS gu+12(FP), X8
	SPREAD(X8)
	MOVSS gv+16(FP), X9
	SPREAD(X9)
	MOVSS d+8(FP), X10
	SPREAD(X10)
	MOVAPS X7, X11
	SPREAD(X11)
	MOVUPS ·rows<>(SB), X12
	SUBPS X11, X12
	MULPS X9, X12
	ADDPS X10, X12
	MOVAPS X15, X13
	ADDPS X6, X13
	MULPS X8, X13
	SUBPS X13, X12 // heights at the first column
	MOVAPS X15, X14
	SUBPS X6, X14 // 1-fu

	CMPPS X12, X0, $2
	ANDPS X14, X0
	ADDPS X8, X12
	CMPPS X12, X1, $2
	ANDPS X15, X1
	ADDPS X1, X0
	ADDPS X8, X12
	CMPPS X12, X2, $2
	ANDPS X15, X2
	ADDPS X2, X0
	ADDPS X8, X12
	CMPPS X12, X3, $2
	ANDPS X6, X3
	ADDPS X3, X0 // the rows' sums

	MOVAPS X15, X1
	SUBSS X7, X1
	MULSS X0, X1 // first row, times 1-fv
	MOVAPS X0, X2
	SHUFPS $0x55, X2, X2
	ADDSS X2, X1
	MOVHLPS X0, X2
	ADDSS X2, X1
	SHUFPS $0xFF, X0, X0
	MULSS X7, X0
	ADDSS X0, X1
	MOVSS X1, ret+32(FP)
	RET

// FLOOR sets X to the largest whole number that is not above it. It destroys T and U; X12 is 1.
#define FLOOR(X, T, U) \
	CVTTPS2PL X, T; \
	CVTPL2PS T, T; \
	MOVAPS X, U; \
	CMPPS T, U, $1; \
	ANDPS X12, U; \
	SUBPS U, T; \
	MOVAPS T, X

// WAVE sets X to the triangleWave of it. It destroys T, U and V; X10 has the magnitude's bits, X11 is 1/2, X12 is 1.
#define WAVE(X, T, U, V) \
	MULPS X11, X; \
	MOVAPS X, V; \
	FLOOR(V, T, U); \
	SUBPS V, X; \
	SUBPS X11, X; \
	ANDPS X10, X; \
	ADDPS X, X; \
	MOVAPS X12, T; \
	SUBPS X, T; \
	MOVAPS T, X

// BALANCE sets R to the fieldBalance at X. It destroys S, T, U and V; X15 is the size of a pixel.
#define BALANCE(X, R, S, T, U, V) \
	MOVAPS X15, T; \
	MULPS X11, T; \
	MOVAPS X, R; \
	ADDPS T, R; \
	MOVAPS X, S; \
	SUBPS T, S; \
	WAVE(R, T, U, V); \
	WAVE(S, T, U, V); \
	SUBPS S, R; \
	DIVPS X15, R

// LINE sets R to the gridLineCoverage at X. It destroys X, T and U; X9 is the size of a pixel in lines, X8 that plus the
// width of a line, halved.
#define LINE(X, R, T, U) \
	MULPS X7, X; \
	MOVAPS X, R; \
	FLOOR(R, T, U); \
	SUBPS R, X; \
	MOVAPS X12, T; \
	SUBPS X, T; \
	MINPS T, X; \
	MOVAPS X8, R; \
	SUBPS X, R; \
	XORPS T, T; \
	MAXPS T, R; \
	DIVPS X9, R; \
	MINPS X12, R

// BYTE sets X, a component of a colour, to a byte in each lane. It destroys T.
#define BYTE(X, T) \
	MOVUPS ·bytes<>(SB), T; \
	MULPS T, X; \
	ADDPS X11, X; \
	CVTTPS2PL X, X

// GROUND sets R to a component of the ground's colour, as a byte. It destroys T. X0 is the factor of its light, X1 the sun's
// share, X2 the fog, X3 the factor of its brightness; AX points at the components' constants.
#define GROUND(i, R, T) \
	MOVUPS (groundVectors_albedo+16*i)(AX), R; \
	MULPS X0, R; \
	MOVUPS (groundVectors_sunLight+16*i)(AX), T; \
	MULPS X1, T; \
	MOVUPS (groundVectors_skyLight+16*i)(AX), X13; \
	ADDPS X13, T; \
	MULPS T, R; \
	SQRTPS R, R; \
	MOVUPS (groundVectors_horizon+16*i)(AX), T; \
	SUBPS R, T; \
	MULPS X2, T; \
	ADDPS T, R; \
	MULPS X3, R; \
	BYTE(R, T)

// func shadeGroundVectors(v *groundVectors)
TEXT ·shadeGroundVectors(SB), NOSPLIT, $0-8
	MOVQ v+0(FP), AX
	MOVUPS ·magnitude<>(SB), X10
	MOVUPS ·halves<>(SB), X11
	MOVUPS ·ones<>(SB), X12
	MOVUPS groundVectors_rayX(AX), X0
	MOVUPS groundVectors_rayY(AX), X1
	MOVUPS groundVectors_foot(AX), X15
	XORPS X2, X2
	UCOMISS X2, X15
	JNE known
	MOVUPS groundVectors_away(AX), X3
	MOVAPS X0, X4
	MULPS X4, X4
	MOVAPS X1, X5
	MULPS X5, X5
	ADDPS X5, X4
	MOVAPS X3, X5
	MULPS X5, X5
	ADDPS X5, X4
	SQRTPS X4, X4
	MOVUPS groundVectors_pixel(AX), X5
	MULPS X5, X4
	DIVPS X3, X4
	MULPS X11, X4
	MOVUPS groundVectors_minFoot(AX), X15
	MAXPS X5, X15
	MAXPS X4, X15

known:
	MOVUPS groundVectors_depth(AX), X2
	MULPS X2, X0
	MOVUPS groundVectors_eyeX(AX), X3
	ADDPS X3, X0 // x of the points
	MULPS X2, X1
	MOVUPS groundVectors_eyeY(AX), X3
	ADDPS X3, X1 // y
	BALANCE(X0, X2, X4, X5, X6, X7)
	BALANCE(X1, X3, X4, X5, X6, X7)
	MULPS X3, X2
	MULPS X11, X2
	MOVAPS X11, X14
	SUBPS X2, X14 // share of dark fields
	MOVUPS groundVectors_lines(AX), X7
	MOVAPS X15, X9
	MULPS X7, X9
	MOVUPS groundVectors_lineWidth(AX), X2
	MOVAPS X2, X8
	MULPS X11, X8
	MOVAPS X9, X3
	MULPS X11, X3
	ADDPS X3, X8
	LINE(X0, X3, X4, X5)
	LINE(X1, X6, X4, X5)
	DIVPS X9, X2
	MOVUPS ·lineFade<>(SB), X4
	ADDPS X4, X2
	MINPS X12, X2
	MULPS X2, X3
	MULPS X2, X6
	MAXPS X6, X3 // coverage by lines
	MOVUPS groundVectors_fieldShade(AX), X0
	MULPS X14, X0
	MOVAPS X12, X1
	SUBPS X0, X1
	MOVUPS groundVectors_lineShade(AX), X0
	MULPS X3, X0
	MOVAPS X12, X2
	SUBPS X0, X2
	MULPS X1, X2
	MOVAPS X2, X0 // factor of the light
	MOVUPS groundVectors_toSun(AX), X1
	MOVUPS groundVectors_sun(AX), X2
	MULPS X2, X1
	MOVUPS groundVectors_fog(AX), X2
	MOVUPS groundVectors_dim(AX), X3
	GROUND(0, X4, X7)
	GROUND(1, X5, X7)
	GROUND(2, X6, X7)
	PSLLL $8, X5
	PSLLL $16, X6
	POR X5, X4
	POR X6, X4
	MOVUPS ·opaque<>(SB), X5
	POR X5, X4
	MOVUPS X4, groundVectors_out(AX)
	RET

// FIELD loads a number of the face at BX into all lanes of X.
#define FIELD(off, X) \
	MOVSS (off)(BX), X; \
	SHUFPS $0, X, X

// FACE_DOT sets R to the dot product of (X, Y, Z) and a vector of the face at BX. It destroys T.
#define FACE_DOT(off, X, Y, Z, R, T) \
	FIELD(off, R); \
	MULPS X, R; \
	FIELD(off+4, T); \
	MULPS Y, T; \
	ADDPS T, R; \
	FIELD(off+8, T); \
	MULPS Z, T; \
	ADDPS T, R

// POINT_DOT sets R to the dot product of the points X3, X4, X5 and the vectors at three places after AX. It destroys T.
#define POINT_DOT(x, y, z, R, T) \
	MOVUPS (x)(AX), R; \
	MULPS X3, R; \
	MOVUPS (y)(AX), T; \
	MULPS X4, T; \
	ADDPS T, R; \
	MOVUPS (z)(AX), T; \
	MULPS X5, T; \
	ADDPS T, R

// TEXEL sets R, a coordinate in metres, to one in texels. It destroys T; X11 is 1/2.
#define TEXEL(origin, R, T) \
	MOVUPS (origin)(AX), T; \
	SUBPS T, R; \
	MOVUPS faceVectors_perTexel(AX), T; \
	MULPS T, R; \
	SUBPS X11, R

// COORDINATE sets P to a coordinate of the points at the depths X6. It destroys T.
#define COORDINATE(ray, eye, P, T) \
	MOVUPS (ray)(AX), P; \
	MULPS X6, P; \
	MOVUPS (eye)(AX), T; \
	ADDPS T, P

// func placeFaceVectors(v *faceVectors, f *face)
TEXT ·placeFaceVectors(SB), NOSPLIT, $0-16
	MOVQ v+0(FP), AX
	MOVQ f+8(FP), BX
	MOVUPS ·magnitude<>(SB), X10
	MOVUPS ·halves<>(SB), X11
	MOVUPS ·ones<>(SB), X12
	XORPS X15, X15
	MOVUPS faceVectors_rayX(AX), X0
	MOVUPS faceVectors_rayY(AX), X1
	MOVUPS faceVectors_rayZ(AX), X2
	FACE_DOT(face_n, X0, X1, X2, X3, X4)
	FIELD(face_eyeOffset, X6)
	DIVPS X3, X6 // depths
	COORDINATE(faceVectors_rayX, faceVectors_eyeX, X3, X7)
	COORDINATE(faceVectors_rayY, faceVectors_eyeY, X4, X7)
	COORDINATE(faceVectors_rayZ, faceVectors_eyeZ, X5, X7)

	MOVUPS faceVectors_fogStart(AX), X7
	SUBPS X7, X6
	MOVUPS faceVectors_fogScale(AX), X7
	MULPS X7, X6
	MAXPS X15, X6
	MOVUPS faceVectors_fogMax(AX), X7
	MINPS X7, X6
	MOVUPS X6, faceVectors_fog(AX)

	POINT_DOT(faceVectors_rightX, faceVectors_rightY, faceVectors_rightZ, X6, X7)
	TEXEL(faceVectors_u0, X6, X7)
	MOVUPS X6, faceVectors_u(AX)
	POINT_DOT(faceVectors_upX, faceVectors_upY, faceVectors_upZ, X6, X7)
	TEXEL(faceVectors_v0, X6, X7)
	MOVUPS X6, faceVectors_v(AX)
	POINT_DOT(faceVectors_sunX, faceVectors_sunY, faceVectors_sunZ, X6, X7)
	MOVUPS faceVectors_bias(AX), X7
	ADDPS X7, X6
	MOVUPS X6, faceVectors_height(AX)

	MOVUPS faceVectors_rise(AX), X6
	MULPS X5, X6
	MOVUPS faceVectors_shade(AX), X7
	ADDPS X7, X6
	MAXPS X7, X6
	MINPS X12, X6
	MOVUPS X6, faceVectors_near(AX)

	FIELD(face_center, X7)
	SUBPS X7, X3
	FIELD(face_center+4, X7)
	SUBPS X7, X4
	FIELD(face_center+8, X7)
	SUBPS X7, X5
	FACE_DOT(face_u, X3, X4, X5, X6, X7)
	ANDPS X10, X6
	FACE_DOT(face_v, X3, X4, X5, X8, X7)
	ANDPS X10, X8
	MAXPS X6, X8 // distance from the centre
	MOVUPS faceVectors_edgeStart(AX), X7
	SUBPS X7, X8
	MOVUPS faceVectors_edgeScale(AX), X7
	MULPS X7, X8
	MAXPS X15, X8
	MINPS X12, X8
	MOVAPS X8, X6
	MULPS X6, X6
	MOVUPS faceVectors_two(AX), X7
	MULPS X7, X8
	MOVUPS faceVectors_three(AX), X7
	SUBPS X8, X7
	MULPS X7, X6
	MOVUPS faceVectors_edgeDarkening(AX), X7
	MULPS X7, X6
	MOVAPS X12, X7
	SUBPS X6, X7
	MOVUPS X7, faceVectors_dark(AX)
	RET

// FACE sets R to a component of a face's colour, as a byte. It destroys T. X0 is the share of the sun's light, X1, X2 and X3
// are the factors near, dark and fog.
#define FACE(i, R, T) \
	FIELD(face_ambient+4*i, R); \
	MULPS X1, R; \
	MOVUPS (faceVectors_sunLight+16*i)(AX), T; \
	MULPS X0, T; \
	ADDPS T, R; \
	FIELD(face_albedo+4*i, T); \
	MULPS T, R; \
	MULPS X2, R; \
	MINPS X12, R; \
	SQRTPS R, R; \
	MOVUPS (faceVectors_horizon+16*i)(AX), T; \
	SUBPS R, T; \
	MULPS X3, T; \
	ADDPS T, R; \
	BYTE(R, T)

// func shadeFaceVectors(v *faceVectors, f *face)
TEXT ·shadeFaceVectors(SB), NOSPLIT, $0-16
	MOVQ v+0(FP), AX
	MOVQ f+8(FP), BX
	MOVUPS ·halves<>(SB), X11
	MOVUPS ·ones<>(SB), X12
	MOVUPS faceVectors_sun(AX), X0
	MOVUPS faceVectors_near(AX), X1
	MOVUPS faceVectors_dark(AX), X2
	MOVUPS faceVectors_fog(AX), X3
	FACE(0, X4, X7)
	FACE(1, X5, X7)
	FACE(2, X6, X7)
	PSLLL $8, X5
	PSLLL $16, X6
	POR X5, X4
	POR X6, X4
	MOVUPS ·opaque<>(SB), X5
	POR X5, X4
	MOVUPS X4, faceVectors_out(AX)
	RET
