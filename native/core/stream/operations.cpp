// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream/operations.h"

#include <Zydis/Zydis.h>

namespace heapstory::stream {

namespace {

struct Decoded {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
};

Operation by_mnemonic(ZydisMnemonic mnemonic) {
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVZX:
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
    case ZYDIS_MNEMONIC_MOVSS:
    case ZYDIS_MNEMONIC_MOVSD:
    case ZYDIS_MNEMONIC_MOVAPS:
    case ZYDIS_MNEMONIC_MOVAPD:
    case ZYDIS_MNEMONIC_MOVUPS:
    case ZYDIS_MNEMONIC_MOVUPD:
    case ZYDIS_MNEMONIC_MOVDQA:
    case ZYDIS_MNEMONIC_MOVDQU:
    case ZYDIS_MNEMONIC_MOVD:
    case ZYDIS_MNEMONIC_MOVQ:
    case ZYDIS_MNEMONIC_CDQE:
    case ZYDIS_MNEMONIC_CVTSS2SD:
    case ZYDIS_MNEMONIC_CVTSD2SS:
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_POP:
        return Operation::move;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_ADC:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_SBB:
    case ZYDIS_MNEMONIC_INC:
    case ZYDIS_MNEMONIC_DEC:
    case ZYDIS_MNEMONIC_LEA:
    case ZYDIS_MNEMONIC_XADD:
    case ZYDIS_MNEMONIC_ADDSS:
    case ZYDIS_MNEMONIC_ADDSD:
    case ZYDIS_MNEMONIC_ADDPS:
    case ZYDIS_MNEMONIC_ADDPD:
    case ZYDIS_MNEMONIC_SUBSS:
    case ZYDIS_MNEMONIC_SUBSD:
    case ZYDIS_MNEMONIC_SUBPS:
    case ZYDIS_MNEMONIC_SUBPD:
    case ZYDIS_MNEMONIC_PADDB:
    case ZYDIS_MNEMONIC_PADDW:
    case ZYDIS_MNEMONIC_PADDD:
    case ZYDIS_MNEMONIC_PADDQ:
    case ZYDIS_MNEMONIC_PSUBB:
    case ZYDIS_MNEMONIC_PSUBW:
    case ZYDIS_MNEMONIC_PSUBD:
    case ZYDIS_MNEMONIC_PSUBQ:
        return Operation::sum;
    case ZYDIS_MNEMONIC_IMUL:
    case ZYDIS_MNEMONIC_MULSS:
    case ZYDIS_MNEMONIC_MULSD:
    case ZYDIS_MNEMONIC_MULPS:
    case ZYDIS_MNEMONIC_MULPD:
    case ZYDIS_MNEMONIC_PMULLD:
    case ZYDIS_MNEMONIC_PMULLW:
        return Operation::product;
    case ZYDIS_MNEMONIC_AND:
    case ZYDIS_MNEMONIC_PAND:
    case ZYDIS_MNEMONIC_ANDPS:
    case ZYDIS_MNEMONIC_ANDPD:
        return Operation::conjunction;
    case ZYDIS_MNEMONIC_OR:
    case ZYDIS_MNEMONIC_POR:
    case ZYDIS_MNEMONIC_ORPS:
    case ZYDIS_MNEMONIC_ORPD:
        return Operation::disjunction;
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_PXOR:
    case ZYDIS_MNEMONIC_XORPS:
    case ZYDIS_MNEMONIC_XORPD:
        return Operation::parity;
    case ZYDIS_MNEMONIC_MINSS:
    case ZYDIS_MNEMONIC_MINSD:
    case ZYDIS_MNEMONIC_MINPS:
    case ZYDIS_MNEMONIC_MINPD:
    case ZYDIS_MNEMONIC_PMINSD:
    case ZYDIS_MNEMONIC_PMINUD:
        return Operation::minimum;
    case ZYDIS_MNEMONIC_MAXSS:
    case ZYDIS_MNEMONIC_MAXSD:
    case ZYDIS_MNEMONIC_MAXPS:
    case ZYDIS_MNEMONIC_MAXPD:
    case ZYDIS_MNEMONIC_PMAXSD:
    case ZYDIS_MNEMONIC_PMAXUD:
        return Operation::maximum;
    default:
        return Operation::other;
    }
}

// Whether both operands are the same register: what x + x makes of x is no sum of one x.
bool is_twice(const Decoded &decoded) {
    const auto &first = decoded.operand[0], &second = decoded.operand[1];
    return decoded.instruction.operand_count_visible > 1 &&
           first.type == ZYDIS_OPERAND_TYPE_REGISTER &&
           second.type == ZYDIS_OPERAND_TYPE_REGISTER && first.reg.value == second.reg.value;
}

bool is_scaled(const Decoded &decoded) {
    const auto &mem = decoded.operand[1].mem;
    return mem.index != ZYDIS_REGISTER_NONE && (mem.scale > 1 || mem.index == mem.base);
}

} // namespace

Operation operation_of(std::span<const uint8_t> code) {
    ZydisDecoder decoder;
    Decoded decoded;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data(), code.size(),
                                             &decoded.instruction, decoded.operand)))
        return Operation::other;
    Operation operation = by_mnemonic(decoded.instruction.mnemonic);
    if (operation == Operation::other || operation == Operation::move)
        return operation;
    const bool address = decoded.instruction.mnemonic == ZYDIS_MNEMONIC_LEA;
    return (address ? is_scaled(decoded) : is_twice(decoded)) ? Operation::other : operation;
}

} // namespace heapstory::stream
