// Reads the text of an inline PTX statement while the candidate that holds it is compiled: its
// instructions, their operands and the registers that it declares. What the executor runs of them
// is listed in known_instructions.h; statement.h runs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <kernelmill/ptx/scanner.h>

namespace kernelmill::ptx {

enum class OperandKind : unsigned char {
  kNone,
  kArgument,  // %0, an operand of the asm statement.
  kRegister,  // Declared in the text.
  kSpecial,   // %laneid and so on.
  kInteger,
  kDouble,  // `bits` are those of a double,
  kSingle,  // or of a float.
  kSink,    // _
};
struct Operand {
  OperandKind kind = OperandKind::kNone;
  bool negated = false;    // "!" before a predicate.
  bool predicate = false;  // The register is declared as one.
  int index = 0;           // Of the argument or the register.
  std::uint64_t bits = 0;
  Text name;
};
enum class GroupForm : unsigned char {
  kPlain,
  kVector,   // {a, b}, and the pair p|q.
  kAddress,  // [a + 4]
};
struct Group {
  GroupForm form = GroupForm::kPlain;
  int first = 0, count = 0;  // Operands.
  std::int64_t offset = 0;   // Of an address.
};
struct Instruction {
  static constexpr int kMostParts = 14;

  Text text;                // Opcode and modifiers, as written.
  Text parts[kMostParts]{};  // Separated by points; the first is the opcode.
  int part_count = 0;
  Operand guard;             // @p
  int first = 0, count = 0;  // Groups.

  constexpr Text Opcode() const { return parts[0]; }
  constexpr bool Has(Text modifier) const {
    for (int i = 1; i < part_count; ++i) {
      if (parts[i] == modifier) return true;
    }
    return false;
  }
};
struct RegisterNames {
  Text name;
  int first = 0, count = 0;  // `name` alone if `count` is 0; else name0, name1 …
  bool predicate = false;
};

template <std::size_t kInstructions, std::size_t kOperands>
struct Program {
  Instruction instructions[kInstructions]{};
  Group groups[kOperands]{};
  Operand operands[kOperands]{};
  RegisterNames registers[kOperands]{};
  int instruction_count = 0, group_count = 0, operand_count = 0;
  int name_count = 0, register_count = 0;
  Text unreadable;  // What could not be read; empty if all was.
};

// How many a text has at most.
constexpr std::size_t InstructionsIn(Text text) { return Occurrences(text, ';') + 1; }
constexpr std::size_t OperandsIn(Text text) {
  return Occurrences(text, ',') + Occurrences(text, '|') + InstructionsIn(text);
}

template <std::size_t kInstructions, std::size_t kOperands>
class ProgramReader {
 public:
  constexpr explicit ProgramReader(Text text) : scanner_(text) {}

  constexpr Program<kInstructions, kOperands> Read() {
    while (program_.unreadable.empty() && scanner_.SkipBlank()) {
      if (scanner_.Take('{') || scanner_.Take('}') || scanner_.Take(';')) continue;
      if (scanner_.TakeWord(".reg")) {
        ReadRegisters();
      } else {
        ReadInstruction();
      }
    }
    return program_;
  }

 private:
  constexpr void Refuse(Text what) {
    if (program_.unreadable.empty()) program_.unreadable = what.empty() ? Text("?") : what;
  }

  constexpr void ReadRegisters() {
    scanner_.SkipBlank();
    const Text type = scanner_.TakeOpcode();
    do {
      scanner_.SkipBlank();
      scanner_.TakePercents();
      RegisterNames names{scanner_.TakeName(), program_.register_count, 0, type == ".pred"};
      if (names.name.empty() || type.find(".v") == 0) return Refuse(".reg");
      if (scanner_.Take('<')) {
        names.count = static_cast<int>(scanner_.TakeInteger());
        if (names.count > 64 || !scanner_.Take('>')) return Refuse(".reg");
      }
      program_.register_count += names.count == 0 ? 1 : names.count;
      program_.registers[program_.name_count++] = names;
      scanner_.SkipBlank();
    } while (scanner_.Take(','));
  }

  constexpr void ReadInstruction() {
    Instruction instruction;
    if (scanner_.Take('@')) {
      instruction.guard = ReadOperand();
      scanner_.SkipBlank();
    }
    instruction.text = scanner_.TakeOpcode();
    if (instruction.text.empty() || scanner_.Sees(':')) {
      return Refuse(instruction.text.empty() ? scanner_.Rest() : instruction.text);
    }
    for (Text rest = instruction.text;;) {
      // "L2::128B" is one part.
      const std::size_t point = rest.find('.');
      if (instruction.part_count == Instruction::kMostParts) return Refuse(instruction.text);
      instruction.parts[instruction.part_count++] = rest.substr(0, point);
      if (point == rest.npos) break;
      rest = rest.substr(point + 1);
    }
    instruction.first = program_.group_count;
    scanner_.SkipBlank();
    if (!scanner_.AtEnd() && !scanner_.Sees(';') && !scanner_.Sees('}')) {
      do {
        ReadGroup();
        ++instruction.count;
      } while (program_.unreadable.empty() && scanner_.Take(','));
      if (!scanner_.AtEnd() && !scanner_.Sees(';') && !scanner_.Sees('}')) {
        Refuse(instruction.text);
      }
    }
    if (program_.unreadable.empty()) program_.instructions[program_.instruction_count++] = instruction;
  }

  constexpr void ReadGroup() {
    Group group;
    group.first = program_.operand_count;
    const auto add = [&] {
      program_.operands[program_.operand_count++] = ReadOperand();
      ++group.count;
      scanner_.SkipBlank();
    };
    scanner_.SkipBlank();
    if (scanner_.Take('{')) {
      group.form = GroupForm::kVector;
      do {
        add();
      } while (program_.unreadable.empty() && scanner_.Take(','));
      if (!scanner_.Take('}')) Refuse(scanner_.Rest());
    } else if (scanner_.Take('[')) {
      group.form = GroupForm::kAddress;
      add();
      if (scanner_.Take('+')) {
        scanner_.SkipBlank();
        const bool minus = scanner_.Take('-');
        group.offset = static_cast<std::int64_t>(scanner_.TakeInteger()) * (minus ? -1 : 1);
      } else if (scanner_.Take('-')) {
        scanner_.SkipBlank();
        group.offset = -static_cast<std::int64_t>(scanner_.TakeInteger());
      }
      scanner_.SkipBlank();
      if (!scanner_.Take(']')) Refuse(scanner_.Rest());
    } else {
      add();
      if (scanner_.Take('|')) {
        group.form = GroupForm::kVector;
        add();
      }
    }
    scanner_.SkipBlank();
    program_.groups[program_.group_count++] = group;
  }

  constexpr Operand ReadOperand() {
    Operand operand;
    scanner_.SkipBlank();
    operand.negated = scanner_.Take('!');
    const bool minus = scanner_.Take('-');
    if (scanner_.SeesDigit()) {
      const Number number = scanner_.TakeNumber(minus);
      operand.bits = number.bits;
      operand.kind = number.form == NumberForm::kInteger  ? OperandKind::kInteger
                     : number.form == NumberForm::kDouble ? OperandKind::kDouble
                                                          : OperandKind::kSingle;
      return operand;
    }
    const bool percent = scanner_.TakePercents();
    if (percent && scanner_.SeesDigit()) {
      operand.kind = OperandKind::kArgument;
      operand.index = static_cast<int>(scanner_.TakeInteger());
      return operand;
    }
    operand.name = scanner_.TakeName();
    if (operand.name.empty() || minus) Refuse(scanner_.Rest());
    if (operand.name == "_") operand.kind = OperandKind::kSink;
    for (int i = program_.name_count; i-- > 0 && operand.kind == OperandKind::kNone;) {
      const int number = NumberOf(operand.name, program_.registers[i]);
      if (number < 0) continue;
      operand.kind = OperandKind::kRegister;
      operand.index = number;
      operand.predicate = program_.registers[i].predicate;
    }
    if (operand.kind == OperandKind::kNone) operand.kind = OperandKind::kSpecial;
    return operand;
  }

  // The number of the register that `name` names; -1 if it is none of these.
  static constexpr int NumberOf(Text name, const RegisterNames& names) {
    if (names.count == 0) return name == names.name ? names.first : -1;
    if (name.size() <= names.name.size() || name.substr(0, names.name.size()) != names.name) {
      return -1;
    }
    int number = 0;
    for (const char c : name.substr(names.name.size())) {
      if (c < '0' || c > '9') return -1;
      number = number * 10 + (c - '0');
    }
    return number < names.count ? names.first + number : -1;
  }

  Scanner scanner_;
  Program<kInstructions, kOperands> program_;
};

}  // namespace kernelmill::ptx
