// SPDX-License-Identifier: GPL-2.0-or-later
#include "single_step.h"

#include <Zydis/Zydis.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace heapstory::stream;

namespace {

constexpr uint32_t steps_of_a_sequence = 1000;

uint64_t value(ZydisRegister reg, const user_regs_struct &registers, uint64_t next) {
    switch (reg) {
    case ZYDIS_REGISTER_NONE:
        return 0;
    case ZYDIS_REGISTER_RIP:
        return next;
    case ZYDIS_REGISTER_RAX:
        return registers.rax;
    case ZYDIS_REGISTER_RCX:
        return registers.rcx;
    case ZYDIS_REGISTER_RDX:
        return registers.rdx;
    case ZYDIS_REGISTER_RBX:
        return registers.rbx;
    case ZYDIS_REGISTER_RSP:
        return registers.rsp;
    case ZYDIS_REGISTER_RBP:
        return registers.rbp;
    case ZYDIS_REGISTER_RSI:
        return registers.rsi;
    case ZYDIS_REGISTER_RDI:
        return registers.rdi;
    case ZYDIS_REGISTER_R8:
        return registers.r8;
    case ZYDIS_REGISTER_R9:
        return registers.r9;
    case ZYDIS_REGISTER_R10:
        return registers.r10;
    case ZYDIS_REGISTER_R11:
        return registers.r11;
    case ZYDIS_REGISTER_R12:
        return registers.r12;
    case ZYDIS_REGISTER_R13:
        return registers.r13;
    case ZYDIS_REGISTER_R14:
        return registers.r14;
    case ZYDIS_REGISTER_R15:
        return registers.r15;
    default:
        throw std::runtime_error("an address made of another register");
    }
}

uint64_t address_of(const ZydisDecodedInstruction &instruction, const ZydisDecodedOperand &operand,
                    const user_regs_struct &registers) {
    const ZydisDecodedOperandMem &mem = operand.mem;
    uint64_t next = registers.rip + instruction.length;
    uint64_t address = value(mem.base, registers, next) +
                       value(mem.index, registers, next) * mem.scale +
                       uint64_t(mem.disp.has_displacement ? mem.disp.value : 0);
    if (mem.segment == ZYDIS_REGISTER_FS)
        address += registers.fs_base;
    bool pushes = operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
                  mem.base == ZYDIS_REGISTER_RSP &&
                  (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE);
    return pushes ? address - operand.size / 8 : address;
}

} // namespace

struct SingleStep::Now {
    Sequence sequence;
    Block block;
    std::vector<uint64_t> words;
    uint16_t instructions = 0;

    void access(AccessKind kind, uint64_t address, uint32_t size) {
        block.accesses.push_back({instructions, kind, size, uint16_t(words.size())});
        words.push_back(address);
    }
};

SingleStep::SingleStep(const std::vector<std::string> &command) {
    uint64_t main = load(command.front());
    int child = fork();
    if (child == 0) {
        std::vector<char *> words;
        for (const std::string &word : command)
            words.push_back(const_cast<char *>(word.c_str()));
        words.push_back(nullptr);
        personality(ADDR_NO_RANDOMIZE); // two runs are the same run
        ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        execv(words.front(), words.data());
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    auto *where = reinterpret_cast<void *>(main); // NOLINT
    long code = ptrace(PTRACE_PEEKTEXT, child, where, nullptr);
    ptrace(PTRACE_POKETEXT, child, where, (code & ~0xffL) | 0xcc);
    ptrace(PTRACE_CONT, child, nullptr, nullptr);
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status))
        throw std::runtime_error("the program never came to main");
    ptrace(PTRACE_POKETEXT, child, where, code);
    user_regs_struct registers;
    ptrace(PTRACE_GETREGS, child, nullptr, &registers);
    registers.rip = main;
    ptrace(PTRACE_SETREGS, child, nullptr, &registers);
    run(child);
}

// Reads the program's code and returns the address of main.
uint64_t SingleStep::load(const std::string &file) {
    std::ifstream stream(file, std::ios::binary);
    std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    if (bytes.size() < sizeof(Elf64_Ehdr))
        throw std::runtime_error(file + ": no program");
    auto *header = reinterpret_cast<const Elf64_Ehdr *>(bytes.data());
    auto *programs = reinterpret_cast<const Elf64_Phdr *>(bytes.data() + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; ++i)
        if (programs[i].p_type == PT_LOAD && (programs[i].p_flags & PF_X)) {
            auto *first = reinterpret_cast<uint8_t *>(bytes.data()) + programs[i].p_offset;
            segments_.push_back({programs[i].p_vaddr, {first, first + programs[i].p_filesz}});
        }
    auto *sections = reinterpret_cast<const Elf64_Shdr *>(bytes.data() + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; ++i) {
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        const char *names = bytes.data() + sections[sections[i].sh_link].sh_offset;
        auto *symbols = reinterpret_cast<const Elf64_Sym *>(bytes.data() + sections[i].sh_offset);
        for (size_t j = 0; j < sections[i].sh_size / sizeof(Elf64_Sym); ++j)
            if (std::string(names + symbols[j].st_name) == "main")
                return symbols[j].st_value;
    }
    throw std::runtime_error(file + ": no main");
}

std::span<const uint8_t> SingleStep::code(uint64_t address) const {
    for (const Segment &segment : segments_)
        if (address >= segment.address && address - segment.address < segment.bytes.size())
            return std::span(segment.bytes).subspan(address - segment.address);
    return {};
}

void SingleStep::run(int child) {
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    Now now;
    now.sequence.switches.push_back({0, 1});
    int status = 0;
    for (;;) {
        user_regs_struct registers;
        uint8_t bytes[16];
        if (ptrace(PTRACE_GETREGS, child, nullptr, &registers))
            break;
        iovec to = {bytes, sizeof bytes}, from = {reinterpret_cast<void *>(registers.rip), 16};
        auto count = process_vm_readv(child, &to, 1, &from, 1, 0);
        ZydisDecodedInstruction instruction;
        ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
        if (count <= 0 || !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size_t(count),
                                                               &instruction, operand)))
            throw std::runtime_error("an instruction that cannot be decoded");
        if (now.instructions == 0) {
            now.block.address = registers.rip;
            now.block.stack_word = 0;
            now.words.push_back(registers.rsp);
        }
        for (unsigned i = 0; i < instruction.operand_count; ++i) {
            if (operand[i].type != ZYDIS_OPERAND_TYPE_MEMORY ||
                operand[i].mem.type != ZYDIS_MEMOP_TYPE_MEM)
                continue;
            uint64_t address = address_of(instruction, operand[i], registers);
            if (operand[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ)
                now.access(AccessKind::load, address, operand[i].size / 8);
        }
        for (unsigned i = 0; i < instruction.operand_count; ++i)
            if (operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
                (operand[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
                now.access(AccessKind::store, address_of(instruction, operand[i], registers),
                           operand[i].size / 8);
        now.block.code.insert(now.block.code.end(), bytes, bytes + instruction.length);
        ++now.instructions;
        bool repeated = instruction.attributes &
                        (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
        switch (instruction.meta.category) {
        case ZYDIS_CATEGORY_CALL:
            now.block.jump = Jump::call;
            finish(now);
            break;
        case ZYDIS_CATEGORY_RET:
            now.block.jump = Jump::ret;
            finish(now);
            break;
        case ZYDIS_CATEGORY_SYSCALL:
            now.block.jump = Jump::system_call;
            finish(now);
            break;
        case ZYDIS_CATEGORY_COND_BR:
        case ZYDIS_CATEGORY_UNCOND_BR:
            finish(now);
            break;
        default:
            if (repeated || now.instructions == 64)
                finish(now);
        }
        ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr);
        waitpid(child, &status, 0);
        if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
            break;
    }
    if (WIFSTOPPED(status)) { // it crashed: let it
        ptrace(PTRACE_CONT, child, nullptr, WSTOPSIG(status));
        waitpid(child, &status, 0);
    }
    if (now.instructions)
        finish(now);
    sequences_.push_back(std::move(now.sequence));
}

void SingleStep::finish(Now &now) {
    Block &block = now.block;
    block.own = !code(block.address).empty();
    block.words = uint16_t(now.words.size());
    auto [found, is_new] =
        ids_.try_emplace({block.address, block.code.size()}, uint32_t(blocks_.size() + 1));
    if (is_new)
        blocks_.push_back(block);
    Sequence &sequence = now.sequence;
    sequence.block.push_back(found->second);
    sequence.exit.push_back(ran_to_end);
    sequence.operand.push_back(uint32_t(sequence.words.size()));
    sequence.words.insert(sequence.words.end(), now.words.begin(), now.words.end());
    now.block = {};
    now.words.clear();
    now.instructions = 0;
    if (sequence.steps() < steps_of_a_sequence)
        return;
    uint64_t next = sequence.first_step + sequence.steps();
    sequences_.push_back(std::move(sequence));
    now.sequence = {};
    now.sequence.first_step = next;
    now.sequence.switches.push_back({0, 1});
}
