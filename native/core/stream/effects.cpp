// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream/effects.h"

#include <Zydis/Zydis.h>
#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace heapstory::stream {

namespace {

// Valgrind's client requests are one instruction to it, and four rotations and an exchange to
// everybody else.
constexpr std::array<uint8_t, 16> preamble = {0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d,
                                              0x48, 0xc1, 0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33};
constexpr size_t request_length = preamble.size() + 3;
constexpr unsigned rax = 0, rdx = 2;

constexpr std::array<std::pair<uint32_t, Flag>, 7> flags = {{{ZYDIS_CPUFLAG_CF, Flag::carry},
                                                             {ZYDIS_CPUFLAG_PF, Flag::parity},
                                                             {ZYDIS_CPUFLAG_AF, Flag::adjust},
                                                             {ZYDIS_CPUFLAG_ZF, Flag::zero},
                                                             {ZYDIS_CPUFLAG_SF, Flag::sign},
                                                             {ZYDIS_CPUFLAG_OF, Flag::overflow},
                                                             {ZYDIS_CPUFLAG_DF, Flag::direction}}};

struct Bytes {
    unsigned first = 0, count = 0;
};

struct Decoded {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];

    bool is(ZydisMnemonic mnemonic) const { return instruction.mnemonic == mnemonic; }
    bool is_memory(unsigned i) const {
        return i < instruction.operand_count && operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY;
    }
    ZydisRegister reg(unsigned i) const {
        return i < instruction.operand_count && operand[i].type == ZYDIS_OPERAND_TYPE_REGISTER
                   ? operand[i].reg.value
                   : ZYDIS_REGISTER_NONE;
    }
};

unsigned number(ZydisRegister reg) {
    return unsigned(
        ZydisRegisterGetId(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg)));
}

// The bytes of a register that an operand of that many bytes covers.
Bytes bytes_of(ZydisRegister reg, unsigned size) {
    switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_GPR8: {
        bool high = reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH;
        return {general_registers + 8 * number(reg) + high, 1};
    }
    case ZYDIS_REGCLASS_GPR16:
        return {general_registers + 8 * number(reg), 2};
    case ZYDIS_REGCLASS_GPR32:
        return {general_registers + 8 * number(reg), 4};
    case ZYDIS_REGCLASS_GPR64:
        return {general_registers + 8 * number(reg), 8};
    case ZYDIS_REGCLASS_XMM:
        return {vector_registers + 32 * unsigned(ZydisRegisterGetId(reg)),
                size ? std::min(size, 16u) : 16};
    case ZYDIS_REGCLASS_YMM:
        return {vector_registers + 32 * unsigned(ZydisRegisterGetId(reg)), 32};
    case ZYDIS_REGCLASS_X87:
    case ZYDIS_REGCLASS_MMX:
        return {x87_registers, 64};
    default:
        if (reg == ZYDIS_REGISTER_MXCSR)
            return {mxcsr_register, 4};
        if (reg >= ZYDIS_REGISTER_X87CONTROL && reg <= ZYDIS_REGISTER_X87TAG)
            return {x87_registers, 64};
        return {};
    }
}

bool is_preserved(unsigned reg) {
    return reg == 3 || reg == rbp || (reg >= 12 && reg <= 15);
}

Branch branch_of(const ZydisDecodedInstruction &instruction, const ZydisDecodedOperand &first) {
    switch (instruction.meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        return Branch::conditional;
    case ZYDIS_CATEGORY_UNCOND_BR:
        return first.type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? Branch::jump : Branch::indirect;
    case ZYDIS_CATEGORY_CALL:
        return Branch::call;
    case ZYDIS_CATEGORY_RET:
        return Branch::ret;
    default:
        return Branch::none;
    }
}

uint64_t target_of(const Decoded &decoded, uint64_t address) {
    uint64_t target = 0;
    const ZydisDecodedOperand &first = decoded.operand[0];
    if (decoded.instruction.operand_count && first.type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
        first.imm.is_relative)
        ZydisCalcAbsoluteAddress(&decoded.instruction, &first, address, &target);
    return target;
}

class Decoder {
  public:
    explicit Decoder(const Block &block) : block_(block) {
        ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    }

    Effects run() {
        size_t at = 0;
        while (at < block_.code.size())
            at += next(at);
        settle_loads();
        return std::move(effects_);
    }

  private:
    // A load from the stack gets a preserved register back if the function returns with it; else it
    // is of a variable.
    void settle_loads() {
        auto &all = effects_.instructions;
        RegisterSet touched; // after it
        for (size_t i = all.size(); i-- > 0;) {
            Instruction &one = all[i];
            RegisterSet reg;
            reg.add(general_registers + 8 * one.saved, 8);
            if (loads_.count(i) && (all.back().branch != Branch::ret || touched.meets(reg)))
                one.role = Role::plain;
            for (uint32_t part = one.defined; part < one.end; ++part)
                touched.add(effects_.parts[part]);
        }
    }

    // Decodes the instruction at an offset; returns its length.
    size_t next(size_t at) {
        defined_ = used_ = addressed_ = RegisterSet();
        Instruction one;
        one.address = block_.address + at;
        size_t left = block_.code.size() - at;
        Decoded decoded;
        if (is_request(at)) {
            used_.add(general_registers + 8 * rax, 8);
            used_.add(general_registers + 8 * rdx, 8);
            defined_.add(general_registers + 8 * rdx, 8);
            left = request_length;
        } else if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, block_.code.data() + at, left,
                                                       &decoded.instruction, decoded.operand))) {
            left = decoded.instruction.length;
            one.branch = branch_of(decoded.instruction, decoded.operand[0]);
            one.target = target_of(decoded, one.address);
            take(decoded);
            set_role(decoded, one);
            pushed_ = decoded.is(ZYDIS_MNEMONIC_PUSH) && decoded.is_memory(0) &&
                      decoded.operand[0].mem.base == ZYDIS_REGISTER_RIP;
        }
        if (block_.stub == effects_.instructions.size() + 1)
            take_stub();
        finish(one, left);
        return left;
    }

    void take_stub() {
        defined_.add(general_registers + 8 * rax, 8);
        used_.add_general(block_.stub_uses);
    }

    bool is_request(size_t at) const {
        return block_.code.size() - at >= request_length &&
               std::equal(preamble.begin(), preamble.end(), block_.code.begin() + long(at));
    }

    void take(const Decoded &decoded) {
        // Padding has operands that it does nothing with.
        if (decoded.instruction.meta.category == ZYDIS_CATEGORY_NOP ||
            decoded.instruction.meta.category == ZYDIS_CATEGORY_WIDENOP)
            return;
        for (unsigned i = 0; i < decoded.instruction.operand_count; ++i)
            take_operand(decoded, decoded.operand[i]);
        take_flags(decoded);
        if (decoded.instruction.meta.isa_ext == ZYDIS_ISA_EXT_X87) {
            used_.add(x87_registers, 64);
            defined_.add(x87_registers, 64);
        }
        if (is_constant(decoded))
            used_ = RegisterSet();
        if (rounds(decoded.instruction.mnemonic))
            used_.add(mxcsr_register, 4);
        take_state(role_of_state(decoded));
    }

    // Whether the result depends on how mxcsr says to round.
    static bool rounds(ZydisMnemonic mnemonic) {
        std::string_view name = ZydisMnemonicGetString(mnemonic);
        name.remove_prefix(name.starts_with('v'));
        if (name.starts_with("cvt"))
            return !name.starts_with("cvtt") && !name.ends_with("2pd") &&
                   !name.ends_with("ps2ph") && name != "cvtss2sd";
        static constexpr std::array<std::string_view, 4> types{"ps", "pd", "ss", "sd"};
        static constexpr std::array<std::string_view, 12> operations{
            "add",  "sub", "mul",   "div",   "sqrt",  "hadd",
            "hsub", "dpp", "round", "fmadd", "fmsub", "fnm"};
        auto begins = [&](std::string_view one) { return name.starts_with(one); };
        auto ends = [&](std::string_view one) { return name.ends_with(one); };
        return std::ranges::any_of(types, ends) && std::ranges::any_of(operations, begins);
    }

    // Registers that are no operands. Which of them a mask leaves out is known when it runs.
    void take_state(Role role) {
        if (role == Role::plain)
            return;
        for (RegisterSet *set : {&used_, &defined_}) {
            if (set == &defined_ && role == Role::save_state)
                continue;
            set->add(vector_registers, 16 * 32);
            set->add(x87_registers, 64);
        }
    }

    static Role role_of_state(const Decoded &decoded) {
        switch (decoded.instruction.mnemonic) {
        case ZYDIS_MNEMONIC_FXSAVE:
        case ZYDIS_MNEMONIC_FXSAVE64:
        case ZYDIS_MNEMONIC_XSAVE:
        case ZYDIS_MNEMONIC_XSAVE64:
        case ZYDIS_MNEMONIC_XSAVEC:
        case ZYDIS_MNEMONIC_XSAVEC64:
        case ZYDIS_MNEMONIC_XSAVEOPT:
        case ZYDIS_MNEMONIC_XSAVEOPT64:
            return Role::save_state;
        case ZYDIS_MNEMONIC_FXRSTOR:
        case ZYDIS_MNEMONIC_FXRSTOR64:
        case ZYDIS_MNEMONIC_XRSTOR:
        case ZYDIS_MNEMONIC_XRSTOR64:
            return Role::restore_state;
        default:
            return Role::plain;
        }
    }

    void take_operand(const Decoded &decoded, const ZydisDecodedOperand &operand) {
        if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) {
            RegisterSet &set = operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN ? used_ : addressed_;
            add(set, operand.mem.base, 0);
            add(set, operand.mem.index, 0);
        } else if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) {
            if (const Bytes part = &operand == decoded.operand ? part_made(decoded) : Bytes{};
                part.count) {
                defined_.add(bytes_of(operand.reg.value, 0).first + part.first, part.count);
                return;
            }
            if (&operand == decoded.operand + 1 && reads_upper(decoded)) {
                used_.add(bytes_of(operand.reg.value, 0).first + 8, 8);
                return;
            }
            if (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ)
                add(used_, operand.reg.value, operand.size / 8);
            if (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
                define(decoded, operand);
        }
    }

    static void add(RegisterSet &set, ZydisRegister reg, unsigned size) {
        Bytes bytes = bytes_of(reg, size);
        set.add(bytes.first, bytes.count);
    }

    void define(const Decoded &decoded, const ZydisDecodedOperand &operand) {
        ZydisRegisterClass kind = ZydisRegisterGetClass(operand.reg.value);
        Bytes bytes = bytes_of(operand.reg.value, operand.size / 8);
        if (operand.actions & ZYDIS_OPERAND_ACTION_CONDWRITE)
            used_.add(bytes.first, bytes.count);
        if (kind == ZYDIS_REGCLASS_GPR32)
            bytes.count = 8; // the upper half becomes zero
        else if (kind == ZYDIS_REGCLASS_XMM &&
                 decoded.instruction.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
            bytes.count = 32;
        else if (kind == ZYDIS_REGCLASS_XMM && clears_upper(decoded))
            bytes.count = 16;
        defined_.add(bytes.first, bytes.count);
    }

    // Which bytes of its first operand an instruction writes that makes them of the second alone
    // and leaves the rest as it is; none: it is another one. Versions of the decoder differ in
    // what they say of these.
    static Bytes part_made(const Decoded &decoded) {
        if (decoded.instruction.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
            return {};
        switch (decoded.instruction.mnemonic) {
        case ZYDIS_MNEMONIC_CVTSI2SD:
        case ZYDIS_MNEMONIC_CVTSS2SD:
        case ZYDIS_MNEMONIC_SQRTSD:
        case ZYDIS_MNEMONIC_ROUNDSD:
            return {0, 8};
        case ZYDIS_MNEMONIC_CVTSI2SS:
        case ZYDIS_MNEMONIC_CVTSD2SS:
        case ZYDIS_MNEMONIC_SQRTSS:
        case ZYDIS_MNEMONIC_ROUNDSS:
        case ZYDIS_MNEMONIC_RCPSS:
        case ZYDIS_MNEMONIC_RSQRTSS:
            return {0, 4};
        case ZYDIS_MNEMONIC_MOVLPS:
        case ZYDIS_MNEMONIC_MOVLPD:
            return decoded.is_memory(1) ? Bytes{0, 8} : Bytes{};
        case ZYDIS_MNEMONIC_MOVHPS:
        case ZYDIS_MNEMONIC_MOVHPD:
            return decoded.is_memory(1) ? Bytes{8, 8} : Bytes{};
        case ZYDIS_MNEMONIC_MOVHLPS:
            return {0, 8};
        case ZYDIS_MNEMONIC_MOVLHPS:
            return {8, 8};
        default:
            return {};
        }
    }

    // Whether it takes the upper half of its second operand, a vector register, and no more.
    static bool reads_upper(const Decoded &decoded) {
        if (ZydisRegisterGetClass(decoded.reg(1)) != ZYDIS_REGCLASS_XMM)
            return false;
        switch (decoded.instruction.mnemonic) {
        case ZYDIS_MNEMONIC_MOVHPS:
        case ZYDIS_MNEMONIC_MOVHPD:
            return decoded.is_memory(0);
        case ZYDIS_MNEMONIC_MOVHLPS:
        case ZYDIS_MNEMONIC_UNPCKHPD:
        case ZYDIS_MNEMONIC_PUNPCKHBW:
        case ZYDIS_MNEMONIC_PUNPCKHWD:
        case ZYDIS_MNEMONIC_PUNPCKHDQ:
        case ZYDIS_MNEMONIC_PUNPCKHQDQ:
            return true;
        default:
            return false;
        }
    }

    // Moves to a vector register that make the rest of it zero.
    static bool clears_upper(const Decoded &decoded) {
        bool scalar = decoded.is(ZYDIS_MNEMONIC_MOVSS) || decoded.is(ZYDIS_MNEMONIC_MOVSD);
        return decoded.is(ZYDIS_MNEMONIC_MOVD) || decoded.is(ZYDIS_MNEMONIC_MOVQ) ||
               (scalar && decoded.is_memory(1));
    }

    void take_flags(const Decoded &decoded) {
        const ZydisAccessedFlags *accessed = decoded.instruction.cpu_flags;
        if (!accessed)
            return;
        uint32_t written =
            accessed->modified | accessed->set_0 | accessed->set_1 | accessed->undefined;
        uint32_t read = accessed->tested;
        if (decoded.instruction.meta.category == ZYDIS_CATEGORY_SHIFT ||
            decoded.instruction.meta.category == ZYDIS_CATEGORY_ROTATE)
            read |= decoded.operand[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? 0 : written;
        if (decoded.is(ZYDIS_MNEMONIC_PUSHFQ) || decoded.is(ZYDIS_MNEMONIC_PUSHF))
            read = ~uint32_t(0);
        for (auto [mask, flag] : flags) {
            if (read & mask)
                used_.add(flag_registers + unsigned(flag), 1);
            if (written & mask)
                defined_.add(flag_registers + unsigned(flag), 1);
        }
    }

    // Whether the result is the same whatever the operands hold: xor rax, rax.
    static bool is_constant(const Decoded &decoded) {
        switch (decoded.instruction.mnemonic) {
        case ZYDIS_MNEMONIC_XOR:
        case ZYDIS_MNEMONIC_SUB:
        case ZYDIS_MNEMONIC_PXOR:
        case ZYDIS_MNEMONIC_XORPS:
        case ZYDIS_MNEMONIC_XORPD:
        case ZYDIS_MNEMONIC_PCMPEQB:
        case ZYDIS_MNEMONIC_PCMPEQW:
        case ZYDIS_MNEMONIC_PCMPEQD:
            return decoded.reg(0) && decoded.reg(0) == decoded.reg(1);
        case ZYDIS_MNEMONIC_VPXOR:
        case ZYDIS_MNEMONIC_VXORPS:
        case ZYDIS_MNEMONIC_VXORPD:
            return decoded.reg(1) && decoded.reg(1) == decoded.reg(2);
        default:
            return false;
        }
    }

    static bool on_stack(const ZydisDecodedOperand &operand) {
        const auto segment = operand.mem.segment;
        return (operand.mem.base == ZYDIS_REGISTER_RSP || operand.mem.base == ZYDIS_REGISTER_RBP) &&
               segment != ZYDIS_REGISTER_FS && segment != ZYDIS_REGISTER_GS;
    }

    void set_role(const Decoded &decoded, Instruction &one) {
        bool move = decoded.is(ZYDIS_MNEMONIC_MOV);
        ZydisRegister target = decoded.reg(0), source = decoded.reg(1);
        const ZydisDecodedOperand &first = decoded.operand[0];
        const bool goes = one.branch == Branch::indirect || one.branch == Branch::call;
        if (goes && decoded.is_memory(0) && first.mem.base == ZYDIS_REGISTER_RIP)
            one.role = pushed_ ? Role::resolve : Role::link;
        else if (target == ZYDIS_REGISTER_RBP &&
                 ((move && source == ZYDIS_REGISTER_RSP) ||
                  (decoded.is(ZYDIS_MNEMONIC_LEA) &&
                   decoded.operand[1].mem.base == ZYDIS_REGISTER_RSP)))
            one.role = Role::frame;
        else if (const Role state = role_of_state(decoded); state != Role::plain)
            one.role = state;
        else if (decoded.is(ZYDIS_MNEMONIC_PUSH))
            preserve(target, Role::save, one);
        else if (decoded.is(ZYDIS_MNEMONIC_POP))
            preserve(target, Role::restore, one);
        else if (decoded.is(ZYDIS_MNEMONIC_LEAVE))
            preserve(ZYDIS_REGISTER_RBP, Role::restore, one);
        else if (move && decoded.is_memory(0) && on_stack(decoded.operand[0]))
            preserve(source, Role::save, one);
        else if (move && decoded.is_memory(1) && on_stack(decoded.operand[1])) {
            preserve(target, Role::restore, one);
            if (one.role == Role::restore)
                loads_.insert(effects_.instructions.size());
        }
    }

    static void preserve(ZydisRegister reg, Role role, Instruction &one) {
        if (ZydisRegisterGetClass(reg) != ZYDIS_REGCLASS_GPR64 || !is_preserved(number(reg)))
            return;
        one.role = role;
        one.saved = uint8_t(number(reg));
    }

    void finish(Instruction &one, size_t length) {
        for (RegisterSet *set : {&defined_, &used_, &addressed_})
            set->remove(general_registers + 8 * rsp, 8);
        one.length = uint8_t(std::min<size_t>(length, 255));
        auto index = uint16_t(effects_.instructions.size());
        auto &accesses = block_.accesses;
        while (access_ < accesses.size() && accesses[access_].instruction < index)
            ++access_;
        one.first_access = access_;
        one.defined = append(defined_);
        one.used = append(used_);
        one.addressed = append(addressed_);
        one.end = uint32_t(effects_.parts.size());
        effects_.defined |= defined_;
        effects_.instructions.push_back(one);
    }

    uint32_t append(const RegisterSet &set) {
        auto first = uint32_t(effects_.parts.size());
        for (unsigned word = 0; word < RegisterSet::words; ++word)
            if (uint64_t bits = set.part(word))
                effects_.parts.push_back({uint8_t(word), bits});
        return first;
    }

    const Block &block_;
    ZydisDecoder decoder_;
    Effects effects_;
    RegisterSet defined_, used_, addressed_;
    uint16_t access_ = 0;
    std::unordered_set<size_t> loads_; // instructions that may get a register back
    bool pushed_ =
        false; // a word of a module was pushed just before, as the first entry of a PLT does
};

} // namespace

Flow flow_of(std::span<const uint8_t> code, uint64_t address) {
    ZydisDecoder decoder;
    Decoded decoded;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data(), code.size(),
                                             &decoded.instruction, decoded.operand)))
        return {};
    return {decoded.instruction.length, branch_of(decoded.instruction, decoded.operand[0]),
            target_of(decoded, address)};
}

bool jumps_by_table(const Block &block) {
    ZydisDecoder decoder;
    Decoded decoded;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    bool indexed = false; // an entry of a table of offsets or of addresses was read
    for (size_t at = 0; at < block.code.size(); at += decoded.instruction.length) {
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, block.code.data() + at,
                                                 block.code.size() - at, &decoded.instruction,
                                                 decoded.operand)))
            return false;
        for (unsigned i = 0; i < decoded.instruction.operand_count_visible; ++i)
            indexed |= decoded.is_memory(i) && !decoded.is(ZYDIS_MNEMONIC_LEA) &&
                       decoded.operand[i].mem.index != ZYDIS_REGISTER_NONE &&
                       decoded.operand[i].mem.scale >= 4;
    }
    return indexed && branch_of(decoded.instruction, decoded.operand[0]) == Branch::indirect;
}

Effects effects_of(const Block &block) {
    return Decoder(block).run();
}

} // namespace heapstory::stream
