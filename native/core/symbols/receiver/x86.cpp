// What an x86-64 instruction does to a pointer that was returned, told by Zydis: what compilers
// write between a call and the place where the result ends has a kind of its own, everything else
// is `other` with the registers it writes.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/receiver/x86.h"

#include <Zydis/Zydis.h>

namespace heapstory {

namespace {

using Kind = Instruction::Kind;

const ZydisDecoder &decoder() {
    static const ZydisDecoder made = [] {
        ZydisDecoder decoder;
        ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
        return decoder;
    }();
    return made;
}

// The number of a general register or of the one that it is a part of.
int number_of(ZydisRegister reg) {
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    bool is_general = whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15;
    return is_general ? int(whole) - int(ZYDIS_REGISTER_RAX) : Instruction::none;
}

class Reader {
  public:
    Instruction read(const uint8_t *code, size_t size);

  private:
    bool is_wide(unsigned operand) const { return operands_[operand].size == 64; }
    bool is_register(unsigned operand) const {
        return operands_[operand].type == ZYDIS_OPERAND_TYPE_REGISTER;
    }
    bool is_number(unsigned operand) const {
        return operands_[operand].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    }
    int general(unsigned operand) const {
        return is_register(operand) ? number_of(operands_[operand].reg.value) : Instruction::none;
    }
    bool is_same_register() const {
        return is_register(0) && is_register(1) && operands_[0].reg.value == operands_[1].reg.value;
    }
    void note_operand(const ZydisDecodedOperand &operand);
    void note_memory(const ZydisDecodedOperandMem &memory);
    Kind kind();
    Kind branch(Kind direct, Kind indirect);
    Kind move();
    Kind add(int sign);
    Kind compare();

    ZydisDecodedInstruction in_;
    ZydisDecodedOperand operands_[ZYDIS_MAX_OPERAND_COUNT];
    bool plain_memory_ = true; // no segment or short register has a part in the address
    Instruction out_;
};

void Reader::note_memory(const ZydisDecodedOperandMem &memory) {
    out_.memory = true;
    out_.base =
        memory.base == ZYDIS_REGISTER_RIP ? Instruction::next_address : number_of(memory.base);
    out_.index = number_of(memory.index);
    out_.scale = memory.scale ? memory.scale : 1;
    out_.displacement = memory.disp.value;
    plain_memory_ = in_.address_width == 64 && memory.segment != ZYDIS_REGISTER_FS &&
                    memory.segment != ZYDIS_REGISTER_GS &&
                    (memory.type == ZYDIS_MEMOP_TYPE_MEM || memory.type == ZYDIS_MEMOP_TYPE_AGEN) &&
                    (memory.index == ZYDIS_REGISTER_NONE || out_.index != Instruction::none);
}

void Reader::note_operand(const ZydisDecodedOperand &operand) {
    bool writes = operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER && writes) {
        if (int reg = number_of(operand.reg.value); reg != Instruction::none)
            out_.written |= uint16_t(1u << reg);
    } else if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY &&
               operand.visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT) {
        note_memory(operand.mem);
        out_.stores = writes && plain_memory_;
    }
}

Kind Reader::branch(Kind direct, Kind indirect) {
    if (!is_number(0))
        return indirect;
    out_.immediate = true;
    out_.target = operands_[0].imm.value.s;
    return direct;
}

Kind Reader::move() {
    if (!is_wide(0) || !plain_memory_)
        return Kind::other;
    out_.to = general(0);
    out_.from = general(1);
    bool to_known = out_.stores || out_.to != Instruction::none;
    bool from_known = out_.from != Instruction::none || (out_.memory && !out_.stores);
    if (out_.stores && is_number(1))
        return Kind::move;
    return to_known && from_known ? Kind::move : Kind::other;
}

Kind Reader::add(int sign) {
    if (!is_wide(0) || !is_register(0) || !plain_memory_ || (sign < 0 && !is_number(1)))
        return Kind::other;
    out_.to = general(0);
    out_.from = general(1);
    out_.immediate = is_number(1);
    if (out_.immediate)
        out_.value = sign * operands_[1].imm.value.s;
    return Kind::add;
}

Kind Reader::compare() {
    bool with_zero = in_.mnemonic == ZYDIS_MNEMONIC_TEST
                         ? is_same_register()
                         : is_number(1) && operands_[1].imm.value.s == 0;
    if (!is_wide(0) || !with_zero || !plain_memory_)
        return Kind::other;
    out_.from = general(0);
    return Kind::test;
}

Kind Reader::kind() {
    switch (in_.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
        return move();
    case ZYDIS_MNEMONIC_LEA:
        out_.to = general(0);
        return is_wide(0) && plain_memory_ ? Kind::lea : Kind::other;
    case ZYDIS_MNEMONIC_ADD:
        return add(1);
    case ZYDIS_MNEMONIC_SUB:
        return add(-1);
    case ZYDIS_MNEMONIC_TEST:
    case ZYDIS_MNEMONIC_CMP:
        return compare();
    case ZYDIS_MNEMONIC_XCHG:
        if (is_same_register())
            out_.written = 0;
        return Kind::other;
    case ZYDIS_MNEMONIC_PUSH:
        return Kind::push;
    case ZYDIS_MNEMONIC_POP:
        return Kind::pop;
    case ZYDIS_MNEMONIC_CALL:
        return branch(Kind::call, Kind::call);
    case ZYDIS_MNEMONIC_JMP:
        return branch(Kind::jump, Kind::unknown);
    case ZYDIS_MNEMONIC_JZ:
        return branch(Kind::jump_if_zero, Kind::unknown);
    case ZYDIS_MNEMONIC_JNZ:
        return branch(Kind::jump_if_not_zero, Kind::unknown);
    case ZYDIS_MNEMONIC_RET:
        return Kind::return_;
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
        return Kind::unknown;
    default:
        break;
    }
    switch (in_.meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        return branch(Kind::jump_if_other, Kind::unknown);
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_UNCOND_BR:
        return Kind::unknown;
    default:
        return Kind::other;
    }
}

Instruction Reader::read(const uint8_t *code, size_t size) {
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder(), code, size, &in_, operands_)))
        return {};
    for (unsigned i = 0; i < in_.operand_count; ++i)
        note_operand(operands_[i]);
    out_.kind = kind();
    if (out_.kind >= Kind::push) // their own steps of the stack pointer are the follower's
        out_.written &= uint16_t(~(1u << 4));
    out_.length = in_.length;
    return out_;
}

} // namespace

Instruction decode_x86(const uint8_t *code, size_t size) {
    return Reader().read(code, size);
}

} // namespace heapstory
