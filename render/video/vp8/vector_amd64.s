#include "textflag.h"

// Eight or sixteen pixels at a time, in the lanes of SSE2, which every amd64 processor has. Integers are exact: the
// results are those of the Go code.

// SAD adds the absolute differences of a row at SI and one at DI to X0, and goes on to the next rows.
#define SAD \
	MOVOU (SI), X1; \
	MOVOU (DI), X2; \
	PSADBW X1, X2; \
	PADDQ X2, X0; \
	ADDQ R8, SI; \
	ADDQ R9, DI

#define SAD4 SAD; SAD; SAD; SAD

// SUM sets AX to the sum of the halves of X0.
#define SUM \
	MOVHLPS X0, X1; \
	PADDQ X1, X0; \
	MOVQ X0, AX

// func sadVectors(a *byte, aStride int, b *byte, bStride int) int
TEXT ·sadVectors(SB), NOSPLIT, $0-40
	MOVQ a+0(FP), SI
	MOVQ aStride+8(FP), R8
	MOVQ b+16(FP), DI
	MOVQ bStride+24(FP), R9
	PXOR X0, X0
	SAD4
	SAD4
	SAD4
	SAD4
	SUM
	MOVQ AX, ret+32(FP)
	RET

// SAD_AVERAGE is SAD with the mean of the rows at DI and at DX, rounded up, in place of that at DI.
#define SAD_AVERAGE \
	MOVOU (SI), X1; \
	MOVOU (DI), X2; \
	MOVOU (DX), X3; \
	PAVGB X3, X2; \
	PSADBW X1, X2; \
	PADDQ X2, X0; \
	ADDQ R8, SI; \
	ADDQ R9, DI; \
	ADDQ R9, DX

#define SAD_AVERAGE4 SAD_AVERAGE; SAD_AVERAGE; SAD_AVERAGE; SAD_AVERAGE

// func sadAverageVectors(a *byte, aStride int, b, c *byte, bStride int) int
TEXT ·sadAverageVectors(SB), NOSPLIT, $0-48
	MOVQ a+0(FP), SI
	MOVQ aStride+8(FP), R8
	MOVQ b+16(FP), DI
	MOVQ c+24(FP), DX
	MOVQ bStride+32(FP), R9
	PXOR X0, X0
	SAD_AVERAGE4
	SAD_AVERAGE4
	SAD_AVERAGE4
	SAD_AVERAGE4
	SUM
	MOVQ AX, ret+40(FP)
	RET

// LANES repeats a tap's lowest 16 bits in all lanes of X.
#define LANES(off, X) \
	MOVQ off(AX), X; \
	PSHUFLW $0, X, X; \
	PUNPCKLQDQ X, X

// TAP sets X to the products of the eight pixels at SI with a tap, and goes on to the next tap's pixels.
#define TAP(T, X) \
	MOVQ (SI), X; \
	PUNPCKLBW X15, X; \
	PMULLW T, X; \
	ADDQ R10, SI

// func filterVectors(dst *byte, dstStride int, src *byte, srcStride, step, h int, t *taps)
TEXT ·filterVectors(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ dstStride+8(FP), R8
	MOVQ src+16(FP), DX
	MOVQ srcStride+24(FP), R9
	MOVQ step+32(FP), R10
	MOVQ h+40(FP), CX
	MOVQ t+48(FP), AX
	LANES(0, X6)
	LANES(8, X7)
	LANES(16, X8)
	LANES(24, X9)
	LANES(32, X10)
	LANES(40, X11)
	PXOR X15, X15
	MOVQ $(8192+64), AX // filterBias, and half of the divisor
	MOVQ AX, X14
	PSHUFLW $0, X14, X14
	PUNPCKLQDQ X14, X14
	MOVQ $64, AX // filterBias after the division
	MOVQ AX, X13
	PSHUFLW $0, X13, X13
	PUNPCKLQDQ X13, X13

row:
	MOVQ DX, SI
	TAP(X6, X0)
	TAP(X7, X1)
	TAP(X8, X2)
	TAP(X9, X3)
	TAP(X10, X4)
	TAP(X11, X5)
	PADDW X14, X0
	PADDW X2, X0
	PADDW X5, X3
	PADDW X3, X0
	PADDW X4, X1
	PSUBW X1, X0
	PSRLW $7, X0
	PSUBW X13, X0
	PACKUSWB X0, X0
	MOVQ X0, (DI)
	ADDQ R8, DI
	ADDQ R9, DX
	DECQ CX
	JNZ row
	RET
