# task: relu
# verdict: no_answer syntax_error
class ModelNew(:
    pass
