"""Texts of laws and names of tests that NNX modules word in their own way."""

from collections.abc import Mapping

WORDING: Mapping[str, Mapping[str, str]] = {
    "P1": {
        "statement": "The constructor builds the same module from the same inputs, draws from its `rngs` alone, refuses invalid inputs, works under jit, and neither changes nor keeps what it is given; parameters have the declared defaults.",
        "mistake": "A dict, list or array of the caller is changed or stored as it is, a check is missing or needs the values of arrays, or a draw has a constant key.",
        "fix": "Copy on the way in (`jnp.array(x)`) and check there; draw from `rngs` alone, once per consumer.",
    },
    "P2": {
        "statement": "The state is exactly the declared Variables, each of its type, and no array is held outside of a Variable.",
        "mistake": "A weight is a plain array, or Variables are kept in a plain list that was empty when it was assigned: no gradient and no optimiser ever reaches them.",
        "fix": "Write `nnx.Param(array)`, or another Variable type for what is not trained, and `nnx.List` where there are several.",
    },
    "P3": {
        "statement": "nnx.split and nnx.merge, and flatten and unflatten of jax, keep the type, every attribute and every Variable.",
        "mistake": "A method that Flax flattens or rebuilds modules with is replaced, or `__setattr__` keeps values elsewhere.",
        "fix": "Keep every value as an attribute of the module, and leave flattening to Flax.",
    },
    "P5": {
        "statement": "The other attributes are immutable, hashable and equal by value; the graph definition depends on the configuration alone; the call follows its static values; no value is weakly typed.",
        "mistake": "A dict, list, NaN, lambda, partial or bound method is an attribute, a constant stands where an attribute belongs, or an array was made without a dtype.",
        "fix": "Keep int, bool, str, flat tuples and module-level functions as attributes, and give every array a dtype.",
    },
    "P6": {
        "statement": "One trace serves all modules of a configuration, also after a call and a training step; another configuration is traced anew, and a call compiles nothing anew.",
        "mistake": "A static attribute is new in each module or changes in the call, or an update changes a dtype.",
        "fix": "Keep what changes in Variables, and assign with `self.variable[...] = value`, which keeps shape and dtype.",
    },
    "P7": {
        "statement": "The call gives the same values and dtypes, and leaves the same state, in Python, under nnx.jit, and under jax.jit through split and merge; arguments whose elements are equal give no NaN, and large ones overflow nowhere on the way.",
        "mistake": "The call branches on values, mixes dtypes, or updates a Variable inside of a jax.jit of its own, which loses the update.",
        "fix": "Use nnx.jit, or return the state: `return y, nnx.state(module)`; make arrays with `dtype=x.dtype`.",
    },
    "P8": {
        "statement": "After an update of any Variable, in place too, the compiled and the eager call see the new value; an update of a parameter changes the output; with Variables of another size it is as a fresh module of that size, or refuses.",
        "mistake": "A value derived from a Variable was stored at construction or is cached by the module, or a compiled function closes over the module.",
        "fix": "Derive in a property or in the call, and make the module an argument of the compiled function.",
    },
    "P9": {
        "statement": "nnx.grad gives a gradient to every element of every Param, at the start or elsewhere, to nothing else, and no NaN where the output is finite; a step of AdamW with weight decay moves the Params alone.",
        "mistake": "A weight is no Param, a buffer is one, or a parameter, or a part of it, is not used by the call.",
        "fix": "Hold what is trained in nnx.Param and nothing else, and apply stop_gradient to buffers where they are used.",
    },
    "P10": {
        "statement": "The call and the constructor give under vmap, through split and merge, what a loop gives, outputs and states.",
        "mistake": "An attribute that should be a Variable is static, or the call uses Python control flow on values.",
        "fix": "Keep arrays in Variables, and use jnp.where and lax.cond.",
    },
    "P11": {
        "statement": "A call keeps the structure, shapes and dtypes of the state, and of the carry that is declared, so that lax.scan can carry it; the carry advances, and gradients pass through it.",
        "mistake": "An update assigns a new Variable, promotes the dtype or drops an axis; or stop_gradient stands on the carry.",
        "fix": "Update with `self.variable[...] = value`, in the dtype of the Variable.",
    },
    "P12": {
        "statement": "A call updates the declared Variables and nothing else, in place, leaves no tracer behind, prints nothing, and draws from a key that it is given.",
        "mistake": "The call stores a value as an attribute or in the module, or appends to a list; a Variable that should be updated is updated on a copy, as inside of jax.jit; or a constant key is left over.",
        "fix": "Update through Variables, return what else has to be remembered, and draw from `rngs` or from an argument.",
    },
    "P13": {
        "statement": "An update of one Variable leaves everything else alone; == has a truth value and tells modules apart; a module is true; its hash stays; a copy keeps the value or is refused.",
        "mistake": "`__eq__` compares arrays, or static values alone, `__len__` is 0, or modules share a Variable that was made on the class.",
        "fix": "Leave == and hash to identity, as nnx.Module does, and make each Variable in `__init__`.",
    },
    "P14": {
        "statement": "deepcopy, pickle, and saving by path into a fresh module, give back the same configuration and state, and share nothing with the module; a state with other paths, types or shapes, and a damaged file, are refused.",
        "mistake": "`__getstate__` or `__deepcopy__` leaves something out; or the state is loaded with nnx.update, which adds unknown paths to the module, or with nnx.merge, which goes by position.",
        "fix": "Leave copying to Flax, and compare paths, types and shapes before `nnx.update(module, state)`.",
    },
    "P15": {
        "statement": "A snapshot does not follow the module, nor the module its snapshot; no two Variables share a buffer, no Variable is held twice unless it is meant so, and each random draw, and each of its rows, has its own key.",
        "mistake": "nnx.state and nnx.split return the Variables of the module itself, so that training on overwrites what was to be kept; or one key serves two draws.",
        "fix": "Make new Variables, `jax.tree.map(lambda x: x, nnx.state(module))`, and draw with `rngs.params()` once per consumer.",
    },
    "P16": {
        "statement": "`map_variables` maps the values of the Variables of a type, and leaves the others, the module and its state alone; keys give different draws, and a call that ignores its key draws nothing.",
        "mistake": "`is_leaf` is missing: jax.tree.map then goes past the Variables, and an isinstance test in the function is never true.",
        "fix": "Write `is_leaf=lambda node: isinstance(node, nnx.Variable)`, and `node.replace(function(node.get_value()))`.",
    },
    "P17": {
        "statement": "The treedef differs from that of a twin class with the same attributes.",
        "mistake": "The class was registered by hand in a way that does not record it.",
        "fix": "Subclass nnx.Module and let Flax register it.",
    },
    "P18": {
        "statement": "The tests run on the platform that was asked for and on no other; the module commits nothing to a device; the call and its gradient lower for every platform in `lower_for`.",
        "fix": "Let the caller place the state (no `device_put` in the module), and use primitives that every target has.",
    },
    "P20": {
        "statement": "On an abstract mesh with explicit axes the call traces with each dim of `sharding` on its mesh axis, results are sharded as their dims say, the metadata of each Variable has the axes of its named dims, and a training step keeps the sharding of each Variable.",
        "mistake": "A product contracts a sharded dim and states no `out_sharding`, or the `out_sharding` of a Variable is transposed or left out.",
        "fix": "State `out_sharding` where a sharded dim is contracted, and let that of a Variable name the dims in the order of the annotation.",
    },
}
"""Texts of a law, by its number."""
RENAMED_TESTS: Mapping[str, str] = {
    "test_p01_every_draw_uses_the_key": "test_p01_every_draw_uses_its_rngs",
    "test_p02_leaves_are_the_declared_ones": "test_p02_the_state_is_the_declared_variables",
    "test_p02_leaves_are_as_declared": "test_p02_variables_are_as_declared",
    "test_p02_the_dtype_reaches_every_float_leaf": "test_p02_the_dtype_reaches_every_float_variable",
    "test_p02_shared_arrays_are_stored_once": "test_p02_tied_arrays_are_stored_once",
    "test_p03_round_trip_by_split_and_merge": "test_p03_split_and_merge_keep_everything",
    "test_p05_aux_is_hashable_and_free_of_arrays": "test_p05_attributes_are_immutable_and_hashable",
    "test_p05_treedef_depends_on_the_configuration_alone": "test_p05_graphdef_depends_on_the_configuration_alone",
    "test_p05_no_leaf_is_weakly_typed": "test_p05_no_value_is_weakly_typed",
    "test_p06_one_trace_serves_all_instances": "test_p06_one_trace_serves_all_modules",
    "test_p07_jit_equals_eager": "test_p07_nnx_jit_equals_eager",
    "test_p08_compiled_calls_see_every_edit": "test_p08_compiled_calls_see_every_update",
    "test_p08_assignment_is_refused_or_seen": "test_p08_updates_in_place_are_seen",
    "test_p09_every_parameter_has_a_gradient": "test_p09_gradients_reach_the_params_and_nothing_else",
    "test_p09_every_trained_sub_tree_has_a_gradient": "test_p09_every_sub_module_has_a_gradient",
    "test_p09_every_leaf_of_a_sub_module_has_a_gradient": "test_p09_every_param_of_a_sub_module_has_a_gradient",
    "test_p09_the_gradient_of_a_shared_array_sums_its_uses": "test_p09_the_gradient_of_a_tied_array_sums_its_uses",
    "test_p10_stacked_instances": "test_p10_stacked_states",
    "test_p11_scan_carries_the_instance": "test_p11_scan_carries_the_state",
    "test_p12_a_cold_call_inside_jit_leaves_no_tracer_in_globals": "test_p12_a_cold_call_leaves_no_tracer_in_globals",
    "test_p12_calls_do_not_depend_on_earlier_calls": "test_p12_equal_states_give_equal_calls",
    "test_p13_an_instance_is_true": "test_p13_a_module_is_true",
    "test_p13_equal_instances_have_equal_hashes": "test_p13_hashes_are_equal_and_stay",
    "test_p13_replace_and_copy_keep_the_value": "test_p13_a_shallow_copy_keeps_the_value",
    "test_p13_an_edit_keeps_ties": "test_p13_an_update_keeps_ties",
    "test_p14_save_and_load_into_a_fresh_skeleton": "test_p14_own_save_and_load",
    "test_p14_another_configuration_is_refused": "test_p14_a_file_of_another_configuration_is_refused",
    "test_p14_the_state_of_another_configuration_is_refused": "test_p14_another_configuration_is_refused",
    "test_p14_load_leaves_the_skeleton_alone": "test_p14_load_shares_nothing_with_its_skeleton",
}
"""Name of a test, by the name of its check."""
