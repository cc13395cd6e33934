#include "go_asm.h"
#include "textflag.h"

// Eight pixels of two rows at a time, in the lanes of SSE2, which every amd64 processor has. Integers are exact: the results
// are those of the Go code.

#define CONSTANT(name, value) \
	DATA name<>+0(SB)/4, $value; \
	DATA name<>+4(SB)/4, $value; \
	DATA name<>+8(SB)/4, $value; \
	DATA name<>+12(SB)/4, $value; \
	GLOBL name<>(SB), RODATA|NOPTR, $16

CONSTANT(·colors, 0x00ffffff)
CONSTANT(·greens, 0x0000ff00)
CONSTANT(·lumaBias, 0x00108000)
CONSTANT(·chromaBias, 0x02020000)

// LOAD sets A and B to the red, green, blue and again green of two pixels each, in words.
#define LOAD(address, A, B) \
	MOVOU address, A; \
	MOVOU ·greens<>(SB), X6; \
	PAND A, X6; \
	PSLLL $16, X6; \
	MOVOU ·colors<>(SB), X7; \
	PAND X7, A; \
	POR X6, A; \
	MOVO A, B; \
	PUNPCKLBW X10, A; \
	PUNPCKHBW X10, B

// WEIGH sets R to the sums of the four words of each half of A and B, times weights. It destroys X6 and X7.
#define WEIGH(A, B, weights, R) \
	MOVO A, R; \
	PMADDWL weights, R; \
	MOVO B, X6; \
	PMADDWL weights, X6; \
	MOVO R, X7; \
	SHUFPS $0x88, X6, R; \
	SHUFPS $0xDD, X6, X7; \
	PADDL X7, R

#define LUMA(A, B, R) \
	WEIGH(A, B, X11, R); \
	PADDL X14, R; \
	PSRLL $16, R

#define CHROMA(weights, address) \
	WEIGH(X0, X2, weights, X4); \
	PADDL X15, X4; \
	PSRAL $18, X4; \
	PACKSSLW X4, X4; \
	PACKUSWB X4, X4; \
	MOVD X4, AX; \
	MOVL AX, address

// func convertVectors(y0, y1, u, v, above, below *byte, groups int, m *colorVectors)
TEXT ·convertVectors(SB), NOSPLIT, $0-64
	MOVQ y0+0(FP), R8
	MOVQ y1+8(FP), R9
	MOVQ u+16(FP), R10
	MOVQ v+24(FP), R11
	MOVQ above+32(FP), SI
	MOVQ below+40(FP), DI
	MOVQ groups+48(FP), CX
	MOVQ m+56(FP), DX
	PXOR X10, X10
	MOVOU colorVectors_y(DX), X11
	MOVOU colorVectors_u(DX), X12
	MOVOU colorVectors_v(DX), X13
	MOVOU ·lumaBias<>(SB), X14
	MOVOU ·chromaBias<>(SB), X15

group:
	LOAD((SI), X0, X1)
	LOAD(16(SI), X2, X3)
	LUMA(X0, X1, X8)
	LUMA(X2, X3, X9)
	PACKSSLW X9, X8
	PACKUSWB X8, X8
	MOVQ X8, (R8)
	LOAD((DI), X4, X5)
	LUMA(X4, X5, X8)
	PADDW X4, X0
	PADDW X5, X1
	LOAD(16(DI), X4, X5)
	LUMA(X4, X5, X9)
	PADDW X4, X2
	PADDW X5, X3
	PACKSSLW X9, X8
	PACKUSWB X8, X8
	MOVQ X8, (R9)
	MOVO X0, X4
	PUNPCKLQDQ X1, X4
	PUNPCKHQDQ X1, X0
	PADDW X4, X0
	MOVO X2, X4
	PUNPCKLQDQ X3, X4
	PUNPCKHQDQ X3, X2
	PADDW X4, X2
	CHROMA(X12, (R10))
	CHROMA(X13, (R11))
	ADDQ $32, SI
	ADDQ $32, DI
	ADDQ $8, R8
	ADDQ $8, R9
	ADDQ $4, R10
	ADDQ $4, R11
	DECQ CX
	JNZ group
	RET
