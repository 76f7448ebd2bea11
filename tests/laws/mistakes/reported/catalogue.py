"""The catalogue of mistakes that people really make: for each its wrong form, its right one, and the law that tells them apart."""

from harness.mutants import NodeLaws
from harness.pairs import Pair
from mutants import ownership as ownership
from mutants import static as static
from mutants import structure as structure
from mutants import training as training
from right import modules as good_modules
from right import specimens as good_specimens

from mistakes.reported import nnx as nnx
from mistakes.reported import right_forms as forms
from mistakes.reported import structure as pitfalls
from mistakes.reported import training as pitfalls_training

PITFALLS = {
    1: Pair(
        "A constructor that changes a child, called by unflatten",
        structure.PresetAgain,
        good_specimens.TableLaws,
        "P3",
        ("put in",),
    ),
    2: Pair(
        "A constructor that checks shapes, called by unflatten",
        forms.ChecksOnRebuild,
        forms.ChecksOnce,
        "P3",
        ("object leaves raised",),
    ),
    3: Pair(
        "A constructor that converts its children, called by unflatten",
        structure.Converted,
        NodeLaws,
        "P3",
        ("object",),
    ),
    5: Pair("A dict or list in aux", static.DictAux, NodeLaws, "P5", ("can change after a compilation",)),
    6: Pair("An array in aux", static.ArrayStatic, forms.BufferKept, "P5", ("an array",)),
    8: Pair(
        "A subclass that is not registered",
        structure.SubclassUnregistered,
        good_specimens.RegisteredLaws,
        "P3",
        ("no pytree",),
    ),
    10: Pair(
        "Flatten and unflatten in different orders", structure.Swapped, NodeLaws, "P3", ("another order",)
    ),
    13: Pair(
        "A string among the children",
        pitfalls.StringLeaf,
        pitfalls.StringStatic,
        "P2",
        ("not declared: str",),
    ),
    14: Pair(
        "A value computed from arrays in aux",
        structure.ComputedStatic,
        forms.DerivedInCall,
        "P1",
        ("outside of its leaves",),
    ),
    16: Pair(
        "A dataclass that compares arrays with ==",
        ownership.DataclassEq,
        good_specimens.TableLaws,
        "P13",
        ("eq=False",),
    ),
    17: Pair(
        "`register_dataclass` beside a constructor of one's own",
        pitfalls.RegisteredConstructor,
        pitfalls.ModuleConstructor,
        "P3",
        ("unexpected keyword",),
    ),
    18: Pair(
        "A static value from the values of arrays",
        pitfalls.DerivedStatic,
        forms.StaticGiven,
        "P3",
        ("object leaves raised",),
    ),
    20: Pair(
        "A default that a custom constructor does not assign",
        pitfalls.DefaultNotAssigned,
        pitfalls.DefaultAssigned,
        "P2",
        ("no leaf",),
    ),
    22: Pair(
        "`__post_init__` beside `__init__`, which never runs",
        pitfalls.PostInitSkipped,
        pitfalls.CheckInit,
        "P1",
        ("__post_init__",),
    ),
    23: Pair(
        "An attribute without an annotation",
        structure.ClassAttribute,
        forms.FieldWithFactory,
        "P2",
        ("WithConstant.scale",),
    ),
    25: Pair("A bound method that is stored", structure.BoundMethod, forms.BoundOnDemand, "P2", ("(self)",)),
    26: Pair(
        "A transformed layer that is stored",
        forms.TransformStored,
        forms.RowLaws,
        "P2",
        ("`layer.weight`", "no leaf"),
    ),
    28: Pair(
        "An activation among the leaves",
        pitfalls.ActivationLeaf,
        pitfalls.ActivationStatic,
        "P2",
        ("not declared",),
    ),
    29: Pair(
        "A lambda that is new in each instance",
        static.LambdaStatic,
        pitfalls.ActivationStatic,
        "P6",
        ("traced anew",),
    ),
    31: Pair(
        "An array in a static field",
        pitfalls.ArrayInStaticField,
        pitfalls.TupleInStaticField,
        "P2",
        ("not a leaf",),
    ),
    32: Pair("A static sub-module", ownership.StaticModule, good_modules.StackLaws, "P2", ("`layers`",)),
    34: Pair(
        "A typed key that is saved as an array",
        pitfalls.KeyNotSaved,
        pitfalls.KeySaved,
        "P14",
        ("TreePathError",),
    ),
    35: Pair(
        "A NumPy constant that is trained",
        pitfalls_training.ConstantTrained,
        pitfalls_training.ConstantStatic,
        "P9",
        ("declared as buffer",),
    ),
    36: Pair(
        "A buffer that is trained",
        forms.BufferUnmarked,
        forms.BufferKept,
        "P9",
        ("a training step moved it",),
    ),
    37: Pair(
        "A buffer that weight decay moves",
        training.BufferTrained,
        forms.BufferKept,
        "P9",
        ("a training step moved it",),
    ),
    38: Pair(
        "An optimiser for integers",
        pitfalls_training.IntegersTrained,
        pitfalls_training.FloatsTrained,
        "P16",
        ("'order'",),
    ),
    40: Pair("Two leaves in one buffer", ownership.OneBuffer, NodeLaws, "P15", ("shares its buffer",)),
    41: Pair(
        "An array that was derived from a parameter once",
        static.DerivedOnce,
        forms.DerivedInCall,
        "P8",
        ("derived from it",),
    ),
    42: Pair(
        "`tree_at` goes around a converter",
        pitfalls_training.ConverterBypassed,
        pitfalls_training.ConverterKept,
        "P11",
        ("argument 0",),
    ),
    44: Pair(
        "`lru_cache` on a method",
        training.CachedMethod,
        forms.ComputedAgain,
        "P12",
        ("UnexpectedTracerError",),
    ),
    45: Pair(
        "A call that appends to a list",
        training.Appends,
        forms.SeenReturned,
        "P12",
        ("tracer was left behind",),
    ),
    47: Pair(
        "A half-built self that is flattened",
        pitfalls_training.HalfInitialised,
        pitfalls_training.WholeFirst,
        "P7",
        ("has changed",),
    ),
    49: Pair("A weakly typed leaf", static.Weak, good_modules.AffineLaws, "P5", ("weakly typed",)),
    50: Pair(
        "One key for two layers", ownership.KeyTwice, good_modules.CellLaws, "P15", ("a key is used twice",)
    ),
    52: Pair(
        "A file that is read by position",
        ownership.LoadsAnything,
        forms.LoadsByPath,
        "P14",
        ("loaded into another",),
    ),
    53: Pair(
        "A module as the function of a loop",
        ownership.FunctionOfModule,
        good_modules.ClosedLaws,
        "P16",
        ("unhashable",),
    ),
    54: Pair(
        "A filter spec by identity", ownership.IdentitySpec, good_modules.ScaledLaws, "P16", ("tied leaves",)
    ),
    55: Pair(
        "A filter spec that is traced",
        pitfalls_training.MaskTraced,
        pitfalls_training.MaskStatic,
        "P7",
        ("cannot be traced",),
    ),
    57: Pair(
        "A method that is compiled with a static self",
        static.StaticSelf,
        forms.SelfAsArgument,
        "P8",
        ("static self",),
    ),
    58: Pair(
        "A compiled closure over the model",
        static.StaleClosure,
        forms.CompiledInCall,
        "P8",
        ("changes no output",),
    ),
    61: Pair("NNX: modules in a plain list", nnx.PlainList, nnx.LayerLaws, "P1", ("raised ValueError",)),
    62: Pair(
        "NNX: a map that takes Variables for leaves",
        nnx.MapsLeaves,
        nnx.SnapshotStands,
        "P16",
        ("did not apply the function",),
    ),
    63: Pair(
        "NNX: an update that jax.jit loses", nnx.MutationLost, nnx.CountLaws, "P12", ("left it as it was",)
    ),
    64: Pair(
        "NNX: a snapshot that follows the module",
        nnx.SnapshotFollows,
        nnx.SnapshotStands,
        "P15",
        ("hold the same Variable",),
    ),
    66: Pair("NNX: a weight that is no Param", nnx.ArrayInNoVariable, nnx.ScaleLaws, "P2", ("`scale`",)),
    67: Pair(
        "NNX: Params that are appended to a plain list later",
        nnx.AppendedLater,
        nnx.ListLaws,
        "P2",
        ("not part of the state",),
    ),
    69: Pair(
        "NNX: a module that is closed over and updated",
        nnx.MutationByClosure,
        nnx.CountLaws,
        "P7",
        ("TraceContextError",),
    ),
    70: Pair(
        "A state that gets a batch axis",
        pitfalls_training.StateBatched,
        pitfalls_training.StateShared,
        "P11",
        ("argument 1",),
    ),
    76: Pair(
        "`register_dataclass`, which forgets the class",
        ownership.RegisterDataclass,
        NodeLaws,
        "P17",
        ("twin class",),
    ),
}
