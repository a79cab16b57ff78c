// Decodes the few x86-64 instructions that move a returned pointer about: what compilers write
// between a call and the place where the result ends. Everything else is `unknown`.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/receiver/x86.h"

#include <cstring>

namespace heapstory {

namespace {

using Kind = Instruction::Kind;

class Decoder {
  public:
    Decoder(const uint8_t *code, size_t size) : code_(code), size_(size) {}
    Instruction decode();

  private:
    bool one_byte(uint8_t opcode);
    bool two_byte(uint8_t opcode);
    bool arithmetic(uint8_t opcode);
    bool group(uint8_t opcode);
    bool modrm();
    bool set(Kind kind, bool writes_reg = false, bool writes_rm = false);

    template <typename Number> int64_t read() {
        Number value = 0;
        if (at_ + sizeof value > size_) {
            failed_ = true;
            return 0;
        }
        std::memcpy(&value, code_ + at_, sizeof value);
        at_ += sizeof value;
        return value;
    }

    const uint8_t *code_;
    size_t size_, at_ = 0;
    bool failed_ = false, operand16_ = false, repeat_ = false;
    uint8_t rex_ = 0, extension_ = 0;
    Instruction out_;
};

bool Decoder::modrm() {
    auto byte = static_cast<uint8_t>(read<uint8_t>());
    int mod = byte >> 6, rm = byte & 7;
    extension_ = (byte >> 3) & 7;
    out_.reg = extension_ | ((rex_ & 4) << 1);
    if (mod == 3) {
        out_.rm = rm | ((rex_ & 1) << 3);
        return !failed_;
    }
    out_.memory = true;
    out_.base = rm | ((rex_ & 1) << 3);
    if (rm == 4) {
        auto sib = static_cast<uint8_t>(read<uint8_t>());
        int index = ((sib >> 3) & 7) | ((rex_ & 2) << 2);
        out_.index = index == 4 ? -1 : index;
        out_.scale = 1 << (sib >> 6);
        out_.base = (sib & 7) | ((rex_ & 1) << 3);
        if ((sib & 7) == 5 && mod == 0) {
            out_.base = -1;
            out_.displacement = read<int32_t>();
        }
    } else if (rm == 5 && mod == 0) {
        out_.base = -2;
        out_.displacement = read<int32_t>();
    }
    if (mod == 1)
        out_.displacement = read<int8_t>();
    else if (mod == 2)
        out_.displacement = read<int32_t>();
    return !failed_;
}

bool Decoder::set(Kind kind, bool writes_reg, bool writes_rm) {
    out_.kind = kind;
    out_.writes_reg = writes_reg;
    out_.writes_rm = writes_rm && !out_.memory;
    return true;
}

// 00-3f: add or adc sbb and sub xor cmp, in six forms each.
bool Decoder::arithmetic(uint8_t opcode) {
    int operation = opcode >> 3, form = opcode & 7;
    bool compare = operation == 7;
    if (form >= 4) {
        form == 4 ? read<int8_t>() : operand16_ ? read<int16_t>() : read<int32_t>();
        out_.rm = 0;
        return set(Kind::other, false, !compare);
    }
    if (!modrm())
        return false;
    out_.to_rm = form < 2;
    if (operation == 0 && out_.wide && (form & 1))
        return set(Kind::add, !out_.to_rm, out_.to_rm);
    return set(Kind::other, !compare && !out_.to_rm, !compare && out_.to_rm);
}

// Opcodes whose operation stands in the reg field of the next byte.
bool Decoder::group(uint8_t opcode) {
    if (!modrm())
        return false;
    bool compare = false;
    switch (opcode) {
    case 0x80:
    case 0x83:
        out_.value = read<int8_t>();
        compare = extension_ == 7;
        break;
    case 0x81:
        out_.value = operand16_ ? read<int16_t>() : read<int32_t>();
        compare = extension_ == 7;
        break;
    case 0xc0:
    case 0xc1:
        read<int8_t>();
        break;
    case 0xf6:
    case 0xf7:
        if (extension_ < 2)
            opcode == 0xf6 ? read<int8_t>() : operand16_ ? read<int16_t>() : read<int32_t>();
        if (extension_ >= 4) // multiplications and divisions: rax and rdx
            return false;
        compare = extension_ < 2;
        break;
    case 0xff:
        if (extension_ == 2)
            return set(Kind::call);
        if (extension_ == 6)
            return set(Kind::push);
        if (extension_ > 2)
            return false;
        break;
    default:
        break;
    }
    if (compare)
        return set(opcode != 0xf7 && out_.value == 0 && out_.wide ? Kind::test : Kind::other);
    if ((opcode == 0x83 || opcode == 0x81) && out_.wide && (extension_ == 0 || extension_ == 5)) {
        out_.immediate = true;
        out_.to_rm = true;
        out_.value = extension_ == 5 ? -out_.value : out_.value;
        return set(Kind::add, false, true);
    }
    return set(Kind::other, false, true);
}

bool Decoder::two_byte(uint8_t opcode) {
    if (opcode >= 0x80 && opcode <= 0x8f) {
        out_.target = read<int32_t>();
        return set(opcode == 0x84   ? Kind::jump_if_zero
                   : opcode == 0x85 ? Kind::jump_if_not_zero
                                    : Kind::jump_if_other);
    }
    if (!modrm())
        return false;
    if (opcode == 0x1e || opcode == 0x1f) // endbr64, nop
        return set(Kind::other);
    if (opcode == 0xaf || opcode == 0xb6 || opcode == 0xb7 || opcode == 0xbe || opcode == 0xbf ||
        (opcode >= 0x40 && opcode <= 0x4f) || opcode == 0x2c || opcode == 0x2d)
        return set(Kind::other, true);
    if (opcode >= 0x90 && opcode <= 0x9f)
        return set(Kind::other, false, true);
    if (opcode == 0x7e) // movd, movq out of a vector register
        return set(Kind::other, false, !repeat_);
    switch (opcode) { // moves and arithmetic of vector registers
    case 0x10:
    case 0x11:
    case 0x12:
    case 0x13:
    case 0x14:
    case 0x16:
    case 0x17:
    case 0x28:
    case 0x29:
    case 0x2a:
    case 0x2e:
    case 0x2f:
    case 0x51:
    case 0x54:
    case 0x57:
    case 0x58:
    case 0x59:
    case 0x5a:
    case 0x5c:
    case 0x5e:
    case 0x6c:
    case 0x6e:
    case 0x6f:
    case 0x7f:
    case 0xd6:
    case 0xef:
    case 0xeb:
    case 0x0d:
    case 0x18:
        // A result that was moved into a vector register is lost from sight, not mistaken.
        return set(Kind::other);
    default:
        return false;
    }
}

bool Decoder::one_byte(uint8_t opcode) {
    int low = (opcode & 7) | ((rex_ & 1) << 3);
    if (opcode < 0x40 && (opcode & 7) < 6)
        return arithmetic(opcode);
    if (opcode >= 0x50 && opcode <= 0x5f) {
        out_.reg = low;
        return set(opcode < 0x58 ? Kind::push : Kind::pop, opcode >= 0x58);
    }
    if (opcode >= 0x70 && opcode <= 0x7f) {
        out_.target = read<int8_t>();
        return set(opcode == 0x74   ? Kind::jump_if_zero
                   : opcode == 0x75 ? Kind::jump_if_not_zero
                                    : Kind::jump_if_other);
    }
    if (opcode >= 0xb8 && opcode <= 0xbf) {
        out_.wide ? read<int64_t>() : operand16_ ? read<int16_t>() : read<int32_t>();
        out_.reg = low;
        return set(Kind::other, true);
    }
    switch (opcode) {
    case 0x84:
        return modrm() && set(Kind::other);
    case 0x85: // test
        return modrm() &&
               set(!out_.memory && out_.reg == out_.rm && out_.wide ? Kind::test : Kind::other);
    case 0x88:
        return modrm() && set(Kind::other, false, true);
    case 0x89:
        out_.to_rm = true;
        return modrm() && set(out_.wide ? Kind::move : Kind::other, false, true);
    case 0x8b:
        return modrm() && set(out_.wide ? Kind::move : Kind::other, true);
    case 0x8d:
        return modrm() && set(out_.wide ? Kind::lea : Kind::other, true);
    case 0x63:
    case 0x8a:
        return modrm() && set(Kind::other, true);
    case 0x69:
        return modrm() && (read<int32_t>(), set(Kind::other, true));
    case 0x6b:
        return modrm() && (read<int8_t>(), set(Kind::other, true));
    case 0x6a:
        read<int8_t>();
        return set(Kind::push);
    case 0x68:
        read<int32_t>();
        return set(Kind::push);
    case 0xc6:
        return modrm() && (read<int8_t>(), set(Kind::other, false, true));
    case 0xc7:
        return modrm() &&
               (operand16_ ? read<int16_t>() : read<int32_t>(), set(Kind::other, false, true));
    case 0x90:
        return !(rex_ & 1) && set(Kind::other);
    case 0x98: // cltq
        out_.reg = 0;
        return set(Kind::other, true);
    case 0x99: // cqto
        out_.reg = 2;
        return set(Kind::other, true);
    case 0xaa: // stos: clears what was allocated
    case 0xab:
        out_.reg = 7;
        out_.rm = 1;
        return set(Kind::other, true, true);
    case 0xa8:
        read<int8_t>();
        return set(Kind::other);
    case 0xa9:
        read<int32_t>();
        return set(Kind::other);
    case 0xe8:
        out_.target = read<int32_t>();
        out_.immediate = true;
        return set(Kind::call);
    case 0xe9:
        out_.target = read<int32_t>();
        return set(Kind::jump);
    case 0xeb:
        out_.target = read<int8_t>();
        return set(Kind::jump);
    case 0xc9: // leave: the stack pointer moves, the result stays
        out_.reg = 5;
        return set(Kind::pop, true);
    case 0xc3:
        return set(Kind::return_);
    case 0x80:
    case 0x81:
    case 0x83:
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
    case 0xf6:
    case 0xf7:
    case 0xff:
        return group(opcode);
    default:
        return false;
    }
}

Instruction Decoder::decode() {
    uint8_t byte = static_cast<uint8_t>(read<uint8_t>());
    for (; byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e;
         byte = static_cast<uint8_t>(read<uint8_t>())) {
        operand16_ = operand16_ || byte == 0x66;
        repeat_ = repeat_ || byte == 0xf3;
        if (at_ > 10)
            return {};
    }
    if ((byte & 0xf0) == 0x40) {
        rex_ = byte;
        byte = static_cast<uint8_t>(read<uint8_t>());
    }
    out_.wide = (rex_ & 8) != 0;
    bool known = byte == 0x0f ? two_byte(static_cast<uint8_t>(read<uint8_t>())) : one_byte(byte);
    if (!known || failed_)
        return {};
    out_.length = static_cast<uint8_t>(at_);
    return out_;
}

} // namespace

Instruction decode_x86(const uint8_t *code, size_t size) {
    return Decoder(code, size).decode();
}

} // namespace heapstory
