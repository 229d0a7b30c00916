#include "manifests/reason.h"

#include <algorithm>

namespace kernelmill {

const std::vector<Reason>& AllReasons() {
  static const std::vector<Reason> kReasons = [] {
    std::vector<Reason> reasons = {
        // Walking and reading a repository.
        {"not_source",
         "by its name neither a source nor a licence, or native code in a repository without "
         "kernels"},
        {"too_large", "the file is over the size limit"},
        {"not_a_file", "a symbolic link, a submodule or another entry that is not a file"},
        {"no_marker", "the file has no class, function, import or assignment"},
        {"missing_object", "the repository does not hold this object (a partial clone)"},
        {"corrupt_object", "Git cannot read this object"},
        {"bad_repository", "Git cannot open it, or it reaches outside its own folder"},
        {"bad_path",
         "the path is not UTF-8, is too long or too deep, holds control or hidden characters or a "
         "chat marker, or leaves its tree"},
        {"not_utf8", "the file is not UTF-8"},
        {"binary", "the file holds NUL bytes"},
        {"lfs_pointer", "the file is a Git LFS pointer; its content is elsewhere"},
        {"parser_crashed", "the child process that worked on it died, or could not read it"},
        {"parse_error", "the syntax tree of the definition holds an error"},
        {"generated", "the file says that it is generated"},
        {"vendored", "the path belongs to vendored code"},
        {"object_budget", "the repository has more entries than the limit allows"},
        // Extracting a module.
        {"no_forward", "the class has no forward() of its own or inherited"},
        {"unsafe_import", "it imports or reaches something outside the allowed modules"},
        {"unresolved_name", "a name that it uses is defined nowhere in the repository"},
        {"slice_too_long", "with all it needs it is longer than the limit"},
        {"slice_too_many_files", "with all it needs it spans more files than the limit"},
        {"same_port", "the repository's versions for two platforms do not differ"},
        {"unexplained_port",
         "the repository's versions for two platforms differ in more than a row can explain"},
        {"port_not_compiled",
         "NVRTC does not compile both of the repository's versions for two platforms"},
        {"unknown_arguments",
         "its constructor or forward() takes arguments that cannot be guessed"},
        {"licence", "its licence is not on the allowlist, or none was found"},
        {"source_excluded", "the URL of its source begins with one of exclude_sources"},
        {"record_excluded", "exclude_records names it, or the task that it answers is left out"},
        {"source_cap", "the limit for one source was reached"},
        {"limit", "the limit of the run was reached"},
        {"chat_marker", "the text holds a chat marker that would end a message"},
        {"hidden_character",
         "the text holds control, bidirectional or invisible characters: it is not what it shows"},
        {"secret", "the text holds a key, a token or a private key"},
        // Reading supplied tasks.
        {"bad_row", "the row of a file of tasks cannot be read"},
        {"no_reference", "the row has no text where the reference should be"},
        // Reading samples of models.
        {"bad_sample", "the line of a file of samples is not what its format asks for"},
        {"request_failed", "the server answered the request with an error, not with a sample"},
        {"duplicate_sample", "an earlier line has the same id, or the same task and attempt"},
        {"unknown_task", "no task has the name that the sample gives, or several have it"},
        {"no_samples", "no sample answers the task"},
        {"another_round", "it answers a repair prompt that the round before did not ask"},
        // Running a task.
        {"build_failed", "the module could not be constructed, or get_inputs() raised an error"},
        {"run_failed", "forward() raised an error"},
        {"no_tensor_output", "forward() returned no tensor"},
        {"not_finite", "the output holds NaN or infinity"},
        {"not_deterministic", "two runs under one seed differ"},
        {"random", "forward() draws random numbers, as dropout does while a model is trained"},
        {"ignores_inputs", "the output does not depend on the inputs"},
        {"trivial", "zeros, a constant or an input itself would pass as an answer"},
        {"borderline", "a check came out too close to its threshold to be repeatable"},
        {"too_costly", "the estimated FLOPs or bytes are over the limit"},
        {"time_limit", "it was stopped by the time limit, twice"},
        {"memory_limit", "it was stopped by the memory limit, twice"},
        {"output_limit", "it printed more than the limit"},
        {"killed", "it was stopped by the sandbox, or its process died"},
        {"tampered", "it changed the program that observes it"},
        {"writes_inputs", "forward() changes its inputs in place"},
        {"shape_disagreement", "symbolic and concrete shapes differ"},
        {"benchmark", "its operator graph is that of a problem of a protected benchmark"},
        // Comparing the texts of tasks, and of kernels.
        {"near_duplicate", "its text is nearly that of another one, which was kept"},
        // Answering a task.
        {"not_lowered", "no kernel of ours computes what it does"},
        {"no_right_answer", "kernels of ours compute it, but the verifier found none right"},
        // Injecting bugs into answers.
        {"not_answered", "it has no right answer to put a bug into"},
        {"no_bug_shows", "none of the bugs that were tried in its answers shows when they run"},
        // Writing checks of answers.
        {"too_few_mutants", "there are not enough wrong answers to try a check on"},
        {"no_check_holds",
         "no check lets its right answers pass and finds enough of its wrong ones"},
        // Selecting samples of models.
        {"protected",
         "its task is a problem of a protected benchmark, so it is judged and not "
         "trained"},
        {"not_admitted", "its task does not run here, so that no prompt can be written"},
        {"not_judged", "the verdict says nothing about the sample"},
        {"not_correct", "the verdict is not correct"},
        {"fails_on_device",
         "the verdict is correct, but a device found the answer wrong or could not run it"},
        {"cut_off", "the model was stopped at a limit of length, or its reasoning has no end"},
        {"reasoning_loops", "the text of the model goes in circles"},
        {"without_question",
         "it answers a later turn of a conversation that the file does not have"},
        {"plans_fallback", "the model plans to let torch or a library compute"},
        {"code_differs", "the last code of the message is not the code that was judged"},
        {"same_structure", "a sample of the same structure represents it"},
        {"pool_full", "the pool of its task has enough other structures"},
        {"balance", "the budget was spent on samples that keep the selection balanced"},
        // Keeping unsolved tasks for retries.
        {"solved", "a sample of its task is correct"},
        {"parked", "as many retries failed as a task may have; perhaps it cannot be solved"},
        {"expired", "it was in the retry buffer for its whole time to live"},
        {"evicted", "the retry buffer was full, and it was the oldest"},
        {"too_few_scored", "none of its samples is correct, but too few were scored"},
        {"no_code", "none of its wrong answers has code that can be shown"},
        {"only_attacks", "its wrong answers attack the sandbox, and are not shown to a model"},
        // Rendering.
        {"over_budget", "the record is longer than the token budget"},
        {"nothing_to_teach", "the annotation has no line worth a record"},
        {"not_answerable",
         "the answer states something that does not follow from its question or general knowledge"},
        {"false_relation",
         "a sentence of the row relates true names or numbers in a way that the program or the "
         "task contradicts"},
        {"unsupported_fact",
         "the row states a number, a shape or a piece of code that its records do not contain"},
    };
    std::sort(reasons.begin(), reasons.end(),
              [](const Reason& a, const Reason& b) { return a.name < b.name; });
    return reasons;
  }();
  return kReasons;
}

std::string_view ExplainReason(std::string_view name) {
  const auto& reasons = AllReasons();
  const auto it = std::lower_bound(reasons.begin(), reasons.end(), name,
                                   [](const Reason& a, std::string_view b) { return a.name < b; });
  return it != reasons.end() && it->name == name ? it->explanation : std::string_view();
}

}  // namespace kernelmill
