"""Each pass that onnx/optimizer (0.3.19, which onnxsim 0.4 runs, with folding and shape inference) and ONNX Runtime 1.30 (levels
basic and extended) have by name: the rules here that do the same, or why there is none.

A row: optimiser, pass, rules (names in rules/*.gsl, or passes of Vouch in brackets), example (a name in pass_graphs.py), note.
A row without rules has a note that says why.
"""
OPTIMIZER, BASIC, EXTENDED = "onnx/optimizer, onnxsim", "ONNX Runtime, basic", "ONNX Runtime, extended"

FOLD, MERGE, DEAD, FORWARD = "[fold-parameters]", "[merge-common-subexpressions]", "[remove-dead-nodes]", "[forward-projections]"
INLINE = "[inline-constant-ifs]"
NORMS = "conv_batch_norm conv_bias_batch_norm conv_transpose_batch_norm conv_transpose_bias_batch_norm"
UNITS = "add_zero sub_zero mul_one div_one or_false and_true"
TRANSPOSES = ("transpose_transpose relu_transpose sigmoid_transpose tanh_transpose leaky_relu_transpose clip_transpose hard_sigmoid_transpose "
              "hard_swish_transpose scaled_transpose shifted_transpose transpose_add transpose_sub transpose_mul transpose_div "
              "transposed_concat image_mean_of_transpose batched_product_of_transposes headed_product_of_transposes "
              "gelu_transpose elu_transpose neg_transpose abs_transpose exp_transpose erf_transpose sqrt_transpose softplus_transpose "
              "lessened_transpose transpose_taken_away divided_transpose product_with_vector_transpose sum_with_vector_transpose "
              "difference_with_vector_transpose quotient_with_vector_transpose product_with_parameter_transpose sum_with_parameter_transpose "
              "difference_with_parameter_transpose quotient_with_parameter_transpose silu_transpose bounded_square_transpose "
              "hard_swish_parts_transpose transpose_undone kept_image_mean_of_transpose image_mean_beside_transpose squeezed_image_transpose "
              "padded_image_transpose padded_image_value_transpose")
RESHAPES = ("reshape_known reshape_known_but_first reshape_known_but_first_of_six reshape_known_but_first_to_six reshape_keeps_two "
            "reshape_keeps_two_shared reshape_keeps_slice reshape_keeps_first reshape_keeps_first_of_six sizes_end_in_numbers "
            "four_sizes_end_in_numbers five_sizes_end_in_numbers six_sizes_end_in_numbers")
REQUANTISED = ("requantised_transpose requantised_reshape requantised_image_reshape requantised_flatten requantised_squeeze "
               "requantised_unsqueeze requantised_slice requantised_concat requantised_concat_three requantised_max_pool")
CASTS = ("cast_of_wide_integer cast_of_integer cast_of_short_integer cast_of_middle_integer cast_of_truth cast_of_float "
         "cast_there_and_back")
STEPS = "changes which numbers are kept as steps, and so the values"
FUSED = "its result is an operator that only ONNX Runtime has"
DEVICE = "for another device than the CPU, or for a layout of one"
OPENS = "nothing has to be done: models are held with names of their own, constants are constants wherever they stand"

PASSES = [
    # --- onnx/optimizer
    (OPTIMIZER, "adjust_add", "conv_add_bias", "conv_add", "commutative operators match in either order"),
    (OPTIMIZER, "adjust_slice_and_matmul", "", "", "moves a slice behind a product: more work, and no pass here needs it"),
    (OPTIMIZER, "eliminate_common_subexpression", MERGE, "cse", ""),
    (OPTIMIZER, "eliminate_consecutive_idempotent_ops", "relu_relu clip_clip reshape_reshape reshape_reshape_of_six reshape_reshape_to_six ceil_ceil floor_floor round_round", "idempotent", ""),
    (OPTIMIZER, "eliminate_deadend", DEAD, "dead", ""),
    (OPTIMIZER, "eliminate_duplicate_initializer", MERGE, "same_initialisers", ""),
    (OPTIMIZER, "eliminate_identity", "identity_away", "identity", ""),
    (OPTIMIZER, "eliminate_if_with_const_cond", INLINE, "constant_if", "where its branches differ in type, when it is read"),
    (OPTIMIZER, "eliminate_nop_cast", "cast_away", "cast", ""),
    (OPTIMIZER, "eliminate_nop_concat", "concat_away", "concat_one", ""),
    (OPTIMIZER, "eliminate_nop_dropout", "dropout_away dropout_ratio_away dropout_off", "dropout", ""),
    (OPTIMIZER, "eliminate_nop_expand", "expand_away", "expand", ""),
    (OPTIMIZER, "eliminate_nop_flatten", "flatten_away", "flatten", ""),
    (OPTIMIZER, "eliminate_nop_monotone_argmax", "argmax_of_growing argmin_of_growing", "argmax_of_growing",
     "behind Exp; a softmax makes one NaN many, and Log and Sqrt make NaN of what is negative, which ArgMax sees"),
    (OPTIMIZER, "eliminate_nop_pad", "pad_away pad_value_away", "pad", ""),
    (OPTIMIZER, "eliminate_nop_reshape", "reshape_to_same_shape", "reshape", ""),
    (OPTIMIZER, "eliminate_nop_split", "split_away", "split", ""),
    (OPTIMIZER, "eliminate_nop_transpose", "transpose_identity", "transpose", ""),
    (OPTIMIZER, "eliminate_nop_with_unit", UNITS, "unit", ""),
    (OPTIMIZER, "eliminate_shape_gather", FOLD, "shape_gather", "sizes are terms, so that what is known of a shape is a constant"),
    (OPTIMIZER, "eliminate_shape_op", FOLD, "shape_gather", ""),
    (OPTIMIZER, "eliminate_slice_after_shape", FOLD, "shape_gather", ""),
    (OPTIMIZER, "eliminate_unused_initializer", DEAD, "dead", ""),
    (OPTIMIZER, "extract_constant_to_initializer", "", "", OPENS),
    (OPTIMIZER, "fuse_add_bias_into_conv", "conv_add_bias conv_bias_add_bias", "conv_bias_add", ""),
    (OPTIMIZER, "fuse_bn_into_conv", NORMS, "conv_bn", ""),
    (OPTIMIZER, "fuse_concat_into_reshape", RESHAPES, "shape_dynamic", ""),
    (OPTIMIZER, "fuse_consecutive_concats", "concat_concat concat_concat_last concat_concat_mid", "concats", ""),
    (OPTIMIZER, "fuse_consecutive_log_softmax", "log_of_softmax", "log_softmax", ""),
    (OPTIMIZER, "fuse_consecutive_reduce_unsqueeze", "reduce_sum_unsqueeze reduce_mean_unsqueeze reduce_max_unsqueeze",
     "reduce_unsqueeze", "along one axis"),
    (OPTIMIZER, "fuse_consecutive_slices", "slice_slice", "slices", "along one axis, from the front"),
    (OPTIMIZER, "fuse_consecutive_squeezes", "squeeze_squeeze", "squeezes", ""),
    (OPTIMIZER, "fuse_consecutive_transposes", "transpose_transpose transpose_back_of_five", "transposes", ""),
    (OPTIMIZER, "fuse_consecutive_unsqueezes", "unsqueeze_unsqueeze unsqueeze_unsqueeze_before", "unsqueezes", ""),
    (OPTIMIZER, "fuse_matmul_add_bias_into_gemm", "matmul_add_gemm", "matmul_add", ""),
    (OPTIMIZER, "fuse_pad_into_conv", "pad_into_conv pad_into_biased_conv pad_value_into_conv pad_value_into_biased_conv", "pad_conv", ""),
    (OPTIMIZER, "fuse_pad_into_pool", "pad_into_average_pool pad_value_into_average_pool pad_into_max_pool", "pad_max_pool",
     "into a maximum where the image is padded with minus infinity"),
    (OPTIMIZER, "fuse_qkv", "merge_parallel_matmul merge_parallel_matmul_bias", "qkv", ""),
    (OPTIMIZER, "fuse_transpose_into_gemm", "gemm_of_transpose_left gemm_of_transpose_right gemm_of_transpose_right_back", "transpose_gemm", ""),
    (OPTIMIZER, "lift_lexical_references", "", "", "writes attributes of no meaning for a framework of old"),
    (OPTIMIZER, "nop", "", "", "does nothing"),
    (OPTIMIZER, "rename_input_output", "", "", "names are the model's, and kept"),
    (OPTIMIZER, "replace_einsum_with_matmul", "einsum_matrices einsum_batches einsum_heads einsum_scores", "einsum", ""),
    (OPTIMIZER, "rewrite_input_dtype", "", "", "changes what the model takes"),
    (OPTIMIZER, "rewrite_where", "where_not", "where_not", ""),
    (OPTIMIZER, "set_unique_name_for_nodes", "", "", OPENS),
    (OPTIMIZER, "split_init", "", "", "takes a model apart"),
    (OPTIMIZER, "split_predict", "", "", "takes a model apart"),
    # --- ONNX Runtime, level 1
    (BASIC, "EliminateIdentity", "identity_away", "identity", ""),
    (BASIC, "EliminateSlice", "slice_away slice_step_away", "slice", ""),
    (BASIC, "UnsqueezeElimination", FOLD, "fold", ""),
    (BASIC, "EliminateDropout", "dropout_away dropout_ratio_away dropout_off", "dropout", ""),
    (BASIC, "ExpandElimination", "expand_away", "expand", ""),
    (BASIC, "CastElimination", "cast_away", "cast", ""),
    (BASIC, "CastChainElimination", CASTS, "cast_chain", "where the type between holds what it is given"),
    (BASIC, "PreShapeNodeElimination", FOLD, "shape_gather", "sizes are known whatever stands before"),
    (BASIC, "NoopElimination", UNITS, "unit", ""),
    (BASIC, "DivMulFusion", "mul_reciprocal", "div_mul", ""),
    (BASIC, "FuseReluClip", "clip_of_relu clip_at_zero_is_relu", "relu_clip", "where the lower bound is zero"),
    (BASIC, "GemmSumFusion", "gemm_sum", "gemm_sum", ""),
    (BASIC, "GemmTransposeFusion", "gemm_of_transpose_left gemm_of_transpose_right", "transpose_gemm", ""),
    (BASIC, "NotWhereFusion", "where_not", "where_not", ""),
    (BASIC, "ConvAddFusion", "conv_add_bias conv_bias_add_bias", "conv_bias_add", ""),
    (BASIC, "ConvMulFusion", "conv_scale conv_bias_scale conv_scalar_scale conv_bias_scalar_scale", "conv_mul", ""),
    (BASIC, "ConvBNFusion", NORMS, "conv_bn", ""),
    (BASIC, "PadFusion", "pad_into_conv pad_into_biased_conv pad_value_into_conv pad_value_into_biased_conv pad_into_average_pool "
     "pad_value_into_average_pool pad_into_max_pool", "pad_conv", "into a MaxPool where the image is padded with minus infinity"),
    (BASIC, "MatmulBNFusion", "matmul_batch_norm gemm_batch_norm", "matmul_bn", ""),
    (BASIC, "LabelEncoderFusion", "", "", "an operator of the domain ai.onnx.ml"),
    (BASIC, "DoubleQDQPairsRemover", "requantised", "qdq_pairs", "pairs of one scale and zero point"),
    (BASIC, "ConstantSharing", MERGE, "same_initialisers", ""),
    (BASIC, "CommonSubexpressionElimination", MERGE, "cse", ""),
    (BASIC, "ConstantFolding", FOLD, "fold", ""),
    (BASIC, "MatMulAddFusion", "matmul_add_gemm", "matmul_add", "of matrices; batches stay products, which takes fewer calls"),
    (BASIC, "ReshapeFusion", RESHAPES, "shape_dynamic", ""),
    (BASIC, "FreeDimensionOverrideTransformer", "", "", "gives sizes that the caller names"),
    (BASIC, "GeluFusion", "gelu_erf gelu_erf_half_first gelu_erf_half_last gelu_erf_reciprocal gelu_erf_reciprocal_half_first "
     "gelu_erf_reciprocal_half_last", "gelu", "a root that the tensor's type rounds is the root; one of fewer digits is another number"),
    (BASIC, "LayerNormFusion", "layer_norm_decomposed layer_norm_decomposed_two_axes layer_norm_scaled layer_norm_bare", "layer_norm", ""),
    (BASIC, "QDQPropagationTransformer", REQUANTISED, "qdq_moves", "what moves elements moves steps, where both scales are one"),
    (BASIC, "WeightBiasQuantization", "", "", STEPS),
    (BASIC, "EnsureUniqueDQForNodeUnit", "", "", "gives each user a call of its own: more calls, for later passes of ONNX Runtime"),
    (BASIC, "RocmBlasAltImpl", "", "", DEVICE),
    (BASIC, "TransposeOptimizer", TRANSPOSES, "transposed_functions",
     "transposes sink through what does not care for the order of axes, and cancel where they meet"),
    # --- ONNX Runtime, level 2
    (EXTENDED, "ClipQuantFusion", "clip_quantised clip_quantised_below", "clip_quantised", "bounds that are constants, zero points at the lowest step"),
    (EXTENDED, "ReluQuantFusion", "relu_quantised relu_quantised_default", "relu_quantised", "zero points at the lowest step"),
    (EXTENDED, "QDQS8ToU8Transformer", "", "", DEVICE),
    (EXTENDED, "QDQSelectorActionTransformer", "quantised_product", "qdq_model",
     "of matrices; convolutions have biases whose scale is a rounded product"),
    (EXTENDED, "GemmActivationFusion", "", "", FUSED),
    (EXTENDED, "MatMulIntegerToFloatFusion", "", "", FUSED),
    (EXTENDED, "DynamicQuantizeMatMulFusion", "", "", FUSED),
    (EXTENDED, "ConvActivationFusion", "", "", FUSED),
    (EXTENDED, "SimplifiedLayerNormFusion", "", "", FUSED),
    (EXTENDED, "AttentionFusion", "merge_parallel_matmul_bias", "qkv", "the products are merged; Attention itself is ONNX Runtime's"),
    (EXTENDED, "EmbedLayerNormFusion", "", "", FUSED),
    (EXTENDED, "GatherSliceToSplitFusion", "", "", "for other devices; no rule"),
    (EXTENDED, "GatherToSliceFusion", "", "", "for other devices; no rule"),
    (EXTENDED, "MatmulTransposeFusion", "", "", FUSED),
    (EXTENDED, "BiasGeluFusion", "", "", FUSED),
    (EXTENDED, "GroupQueryAttentionFusion", "", "", DEVICE),
    (EXTENDED, "SkipLayerNormFusion", "", "", FUSED),
    (EXTENDED, "FastGeluFusion", "", "", FUSED),
    (EXTENDED, "QuickGeluFusion", "", "", FUSED),
    (EXTENDED, "GeluApproximation", "", "", "changes values, and is off by default"),
    (EXTENDED, "BiasSoftmaxFusion", "", "", FUSED),
    (EXTENDED, "BiasDropoutFusion", "", "", DEVICE),
    (EXTENDED, "MatMulScaleFusion", "matmul_scale matmul_scaled_input", "matmul_scale", "where the weights are constant"),
    (EXTENDED, "MatMulActivationFusion", "", "", DEVICE),
    (EXTENDED, "Avx2WeightS8ToU8Transformer", "", "", DEVICE),
    (EXTENDED, "MatMulNBitsFusion", "", "", FUSED),
    (EXTENDED, "QDQFinalCleanupTransformer", "", "", "off by default: takes away pairs that change values"),
]


def page():
    """docs/passes.md."""
    lines = ["# Passes of other optimisers, and the rules that do the same", "",
             "Written by `python3 tests/driver/pass_list.py > docs/passes.md`; `driver/passes_test` checks that each rule is there and proven,",
             "and that each example comes out as it should. Words in brackets are Vouch's own clean-up passes, which need no rule.", ""]
    for optimiser in (OPTIMIZER, BASIC, EXTENDED):
        rows = [row for row in PASSES if row[0] == optimiser]
        covered = sum(1 for row in rows if row[2])
        lines += [f"## {optimiser}: {covered} of {len(rows)}", "", "| pass | rules | remark |", "|---|---|---|"]
        for _, name, rules, _, note in rows:
            words = ", ".join(rule[1:-1] + " (pass)" if rule.startswith("[") else f"`{rule}`" for rule in rules.split())
            lines.append(f"| {name} | {words or 'none'} | {note} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(page(), end="")
