(** The headline theorems, in plain terms.

    A kernel is a closed term [e] of the array language; its inputs have types [G], its result
    type [d]. Sizes are symbolic: [sg] gives them values, and every theorem holds for all [sg]
    (that satisfy the facts the kernel assumes of its sizes). The scalars [K] are any type with
    any operations: nothing depends on a law of arithmetic.

    [check_sound]        the type checker, which decides for all sizes at once, is right
    [lowering_correct]   the imperative program computes the term, reductions in place included
    [lowering_safe]      it stays in bounds, never divides by zero, and its parallel loops are
                         independent
    [in_place_correct]   a step that is accepted may write the accumulator it reads
    [no_race]            a safe flat program does the same under every interleaving
    [no_overflow]        index arithmetic, each operation in its C type, is exact below the
                         stated limits
    [certificate_sound]  a checked certificate gives all this for the C text
    [certificate_means]  the same, of what the C text reads as
    [certificate_of_one_text]  of each kernel one text is certified: no changed one is
    [checked_form]       where the tests of the checked form are passed, all holds that the other
                         theorems assume of sizes and arrays
    [gathering_means]    a read at an index that is data: what its text does, over scalars that tell
                         positions apart, as integers do
    [no_iteration]       a loop that is not entered where it has no iteration: nothing is missing
    [bounded_loops_mean]   loops with bounds are loops over all, with conditions inside
    [witness_means]      a checked witness: some sizes satisfy all that a certificate assumes
    [index_certificate_means]  of a kernel in index notation: its elements are in the output
    [versions_mean]      a text with versions for kinds of processors: whichever is called, the
                         kernel's elements are in the output
    [reader_means]       a functional program that reads as a kernel in index notation computes it
    [functional_certificate_means]  a certified text of that kernel, by any plan, computes the program
    [fused_versions_mean], [reordered_versions_mean], [fused_reordered_versions_mean], [functional_versions_mean]  the same
                         of kernels whose products are fused, whose sums are in another order, or both, of functional programs
    [fused_certificate_means]  a kernel whose products are fused: its text leaves the kernel's elements over
                         numbers whose products are added unrounded; and the kernel's own where fma
                         is a product and a sum
    [fused_is_real]      as it is of real numbers
    [lanes_kernel_means] [lanes_program_means]   a kernel, a program with approximations of exp, tanh and erf: its elements
                         are those of the kernel as it is written over [in_lanes K], of which exp is [ExpLanes] of K;
                         and the kernel's own where nothing is approximated
    [lanes_are_fixed]    of binary32, [ExpLanes] is [exp_lanes32], operation by operation
    [lanes_are_real]     of real numbers, nothing is approximated
    [regrouping_means]   a kernel that is checked to add in another order: wherever addition has its
                         laws it has the same value, and so has what its C text leaves
    [fused_regrouping_means]   the same where products are fused besides
    [reals_regroup]      that of the real numbers does
    [integers_regroup]   addition of integers that wrap around has these laws
    [variants_agree]     shipped kernels that add up in another order, or fuse, compute what
                         their plain kernels do wherever addition has its laws
    [library_means]            of a model's library: calls of certified kernels in order leave the
                               graph's values in the results
    [library_written_means]    where kernels add in another order, fuse products or approximate functions: over numbers
                               with the laws for it, they leave the values of the graph as it is written
    [reals_are_exact]          the real numbers have these laws
    [library_unfused]          over numbers that are not rounded they are the same, products fused or not
    [chain_means]              steps that lead from a graph to another leave the values of its outputs,
                               if what each step claims of its small graphs holds
    [gradient_certificate_means]  a checked gradient is the adjoint of the tangent, over any
                               commutative ring whose exponentials turn sums into products
    [gradient_text_means]      so is what the C text of a checked gradient leaves
    [gradient_derivative_means]  over the real numbers it is the derivative (by their axioms)
    [floats_have_laws]   what theorems about rules over any scalars may ask for holds of floats *)

From Coq Require Import ZArith List String.
From Coq Require Rdefinitions Ranalysis1 Floats.SpecFloat.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing array.Check.
From Vouch Require Import array.CheckProof.
From Vouch Require Import imp.Syntax imp.Semantics imp.Safety imp.Flat imp.Threads.
From Vouch Require Import imp.ThreadsProof imp.Int64 imp.Int64Limits.
From Vouch Require Import lower.Align lower.Lower lower.LowerSpec lower.LowerProof.
From Vouch Require Import lower.SafeProof lower.OffsetProof.
From Vouch Require Import lower.Flatten.
From Vouch Require Import certify.Kernel certify.Checked certify.Parse certify.Certificate.
From Vouch Require index.LowerProof index.Reads index.Fuse index.Lanes index.Versions certify.Witness schedule.RealVariants.
From Vouch Require imp.Gather imp.Guarded lower.Tighten lower.TightenProof.
From Vouch Require schedule.Variants.
From Vouch Require build.Cells build.Nodes build.Calls build.CallsProof build.Written build.Chain build.ChainProof.
From Vouch Require adjoint.Rings adjoint.Substitute adjoint.Tensors adjoint.Adjoint adjoint.AdjointProof.
From Vouch Require adjoint.Composed.
From Vouch Require array.Binary32 array.RealNumbers adjoint.Points adjoint.DerivativeProof.
From Vouch Require regroup.Additive regroup.Regroup regroup.Composed regroup.Whichever regroup.Words.
From Vouch Require tensor.Laws tensor.FloatLaws.
Import ListNotations.

(** If the checker infers a type, the term has it, whatever the sizes. *)
Theorem check_sound sg facts G e d :
  facts_hold sg facts -> infer facts [] G e = Some d ->
  has_ty sg [] (map (ty_val sg) G) e (ty_val sg d).
Proof. intros FACTS found. exact (infer_sound sg facts FACTS e [] G d found). Qed.

(** After the lowered kernel has run, cell p of the output (variable [length G]) holds the value
    of the term at p, the inputs being the variables before it; all other cells are as before. *)
Theorem lowering_correct sg K junk G e d ie s :
  has_ty sg [] G e (ty_val sg d) ->
  let after := exec sg K junk (kernel (List.length G) e d) ie s in
  (forall p, inb (ty_val sg d) p ->
     after (List.length G) p = eval sg K [] (map s (seq 0 (List.length G))) e p) /\
  (forall v p, ~ (v = List.length G /\ inb (ty_val sg d) p) -> after v p = s v p).
Proof.
  intros TYPED after. split.
  - intros p p_in. apply kernel_correct; assumption.
  - intros v p other. apply kernel_frame; assumption.
Qed.

Theorem lowering_safe sg G e d ie :
  has_ty sg [] (map (ty_val sg) G) e (ty_val sg d) ->
  comm_safe sg (kernel_types G d) (kernel (List.length G) e d) ie.
Proof. apply kernel_safe. Qed.

(** [acc_correct T]: the command fills its acceptor with the value of the term even where the
    environment's views touch the acceptor's root as the tags T say. For the step of a reduction
    the accumulator is variable 1, and is the acceptor itself. *)
Theorem in_place_correct sg K junk X G f D :
  has_ty sg X G f D -> in_place f = true ->
  acc_correct sg K junk [Cold; Aligned] X G (snd (lower f)) f D.
Proof.
  intros TYPED once. destruct (lower_correct sg K junk X G f D TYPED) as [_ correct].
  exact (correct _ once).
Qed.

(** Every behaviour of a safe program has the effect of running it in order, and there is one. *)
Theorem no_race sg K junk c ie extent :
  fcomm_safe sg extent c ie ->
  (forall t, behaves sg K junk c ie t ->
     forall m v a, run K t m v a = fexec sg K junk c ie m v a) /\
  exists t, behaves sg K junk c ie t.
Proof.
  intros SAFE. split; [|apply behaves_exists].
  intros t RUNS m v a. exact (race_free_run sg K junk c ie t RUNS extent SAFE m v a).
Qed.

Theorem no_overflow sg c extent ie :
  fcomm_typed c = true -> fcomm_safe sg extent c ie ->
  Forall (fits sg) (fcomm_limits no_bound c) -> fcomm_int64 sg c ie.
Proof. intros typed. apply fcomm_limits_sound; [exact typed | apply no_bound_bounded]. Qed.

(** One computation decides; see [Certified] for what it decides. *)
Theorem certificate_sound k text : certifies k text = true -> Certified k text.
Proof. apply certifies_sound. Qed.

(** [parse] reads C; it does not know the printer. Sizes satisfy the facts that the kernel
    assumes, and its limits are below 2^63. *)
Theorem certificate_means k text : certifies k text = true ->
  exists f, parse text = Some f /\ file_name f = kernel_name k /\ file_names f = certify.Print.declared (kernel_names k) /\
  forall sg, facts_hold sg (kernel_facts k) -> Forall (fits sg) (limits k) ->
  let r := List.length (kernel_inputs k) in
  let D := ty_val sg (kernel_output k) in
  forall K junk ie m,
  (exists t, behaves sg K junk (file_body f) ie t) /\
  forall t, behaves sg K junk (file_body f) ie t ->
  (forall p, inb D p -> run K t m r (place_of D p) = kernel_value sg K k m p) /\
  (forall v a, ~ (v = r /\ a < cells D) -> run K t m v a = m v a) /\
  fcomm_safe sg (extent sg (kernel_types (kernel_inputs k) (kernel_output k))) (file_body f) ie /\
  fcomm_int64 sg (file_body f) ie.
Proof. intros checked. apply certified_text, certifies_sound, checked. Qed.

Theorem certificate_of_one_text k text1 text2 :
  Certified k text1 -> Certified k text2 -> text1 = text2.
Proof. apply certified_once. Qed.

(** [NAME_checked]: sizes are what the caller gives, in 64 bits; arrays lie where [at_address]
    says, 0 being nowhere; [outcome] is the code of the first test that fails, or 0. *)
Theorem checked_form k text : certifies k text = true ->
  exists f, parse text = Some f /\
  forall sz at_address, (forall v, - max_int64 <= sz v < max_int64)%Z ->
  (forall v, List.length (Print.size_names (kernel_names k)) <= v -> sz v = 0%Z) ->
  outcome sz at_address (file_tests f) = 0%N ->
  let sg := natural sz in
  let r := List.length (kernel_inputs k) in
  let bytes v d := (Z.of_N (width (kernel_names k) v) * Z.of_nat (size_val sg (ty_size d)))%Z in
  (forall v, 0 <= sz v)%Z /\ facts_hold sg (kernel_facts k) /\ Forall (fits sg) (limits k) /\
  forall v d, In (v, d) (arrays (kernel_inputs k) ++ [(r, kernel_output k)]) ->
  (0 < bytes v d -> at_address v <> 0)%Z /\
  (In (v, d) (arrays (kernel_inputs k)) -> 0 < bytes v d -> 0 < bytes r (kernel_output k) ->
   at_address v + bytes v d <= at_address r \/
   at_address r + bytes r (kernel_output k) <= at_address v)%Z.
Proof. intros checked. apply certified_tests, certifies_sound, checked. Qed.

(** [parse] takes [{ int64_t i = from; if (0 <= i && i < n) place = value; }] for a loop; this loop
    does what these words say. *)
Theorem gathering_means sg K junk p held ie (m : mem K) :
  imp.Gather.gather_ok p = true ->
  imp.Gather.tells_positions K (size_val sg (imp.Gather.ga_count p)) held ->
  let z := held (feval sg K ie m (imp.Gather.ga_from p)) in
  forall v a, fexec sg K junk (imp.Gather.gathering p) ie m v a =
    (if andb (0 <=? z)%Z (z <? Z.of_nat (size_val sg (imp.Gather.ga_count p)))%Z
     then fexec sg K junk (FAssign (imp.Gather.ga_var p) (imp.Gather.ga_at p) (imp.Gather.ga_value p))
            (Semantics.bind ie (imp.Gather.ga_index p) (Z.to_nat z)) m
     else m) v a.
Proof. exact (imp.Gather.gathering_means sg K junk p held ie m). Qed.

(** [parse] takes [if (0 < n)] before a loop of n iterations for the loop alone, which does nothing
    where n is 0. *)
Theorem no_iteration sg K junk k i n c ie t :
  size_val sg n = 0 -> behaves sg K junk (FFor k i n c) ie t -> t = Done K.
Proof. exact (imp.Guarded.no_iteration sg K junk k i n c ie t). Qed.

(** A loop that [at_least] and [at_most] bound makes the iterations from the first to the last of those that do anything:
    these, in order, are what is left of a loop over all. *)
Theorem bounded_loops_mean sg K junk c ie (m : mem K) v a :
  fexec sg K junk (lower.Tighten.tightened c) ie m v a = fexec sg K junk c ie m v a.
Proof. exact (lower.TightenProof.tightened_exec sg K junk c ie m m (fun _ _ => eq_refl) v a). Qed.

(** The certificate speaks of some sizes: these satisfy the facts and the limits. *)
Theorem witness_means k w : certify.Witness.witness_ok k w = true ->
  exists sg, facts_hold sg (kernel_facts k) /\ Forall (fits sg) (limits k).
Proof. apply certify.Witness.witness_sound. Qed.

(** The certificate of a kernel in index notation says that [lower] gives its program. *)
Theorem index_certificate_means ik k text :
  certifies k text = true -> index.LowerProof.lowers_to ik k ->
  exists f, parse text = Some f /\
  forall sg, facts_hold sg (kernel_facts k) ->
  let D := ty_val sg (kernel_output k) in
  forall K junk ie m t, behaves sg K junk (file_body f) ie t ->
  forall indices, index.LowerTerms.below sg indices (index.Kernel.st_extents (index.Kernel.ik_output ik)) ->
  inb D (map Ix indices) ->
  run K t m (List.length (kernel_inputs k)) (place_of D (map Ix indices)) =
  index.Kernel.ikernel_val sg K
    (map (index.LowerProof.tensor_of K) (input_values sg K (kernel_inputs k) m)) ik indices.
Proof.
  intros checked lowered.
  exact (index.LowerProof.certified_index ik k text (certifies_sound k text checked)
           (index.LowerProof.lowers_to_sound ik k lowered)).
Qed.

(** A text with a version for each kind of processor: [yes] are the processor's answers, whatever they are. *)
Theorem versions_mean ik v text :
  index.Versions.certifies_versions v text = true ->
  Forall (index.LowerProof.ComputesIndex ik) (index.Versions.sources v) ->
  exists f, index.Versions.parse_versions text = Some f /\
  forall yes, exists c, index.Versions.chosen f yes = Some c /\
  forall sg, facts_hold sg (index.Kernel.ik_facts ik) -> Forall (fits sg) (index.Versions.all_limits v) ->
  let r := List.length (index.Kernel.ik_inputs ik) in
  let d := index.Lower.array_ty (index.Kernel.st_extents (index.Kernel.ik_output ik)) in
  let D := ty_val sg d in
  forall K junk ie m,
  (exists t, behaves sg K junk c ie t) /\
  forall t, behaves sg K junk c ie t ->
  (forall indices, index.LowerTerms.below sg indices (index.Kernel.st_extents (index.Kernel.ik_output ik)) ->
     inb D (map Ix indices) ->
     run K t m r (place_of D (map Ix indices)) =
     index.Kernel.ikernel_val sg K
       (map (index.LowerProof.tensor_of K) (input_values sg K (index.Kernel.ik_inputs ik) m)) ik indices) /\
  (forall v a, ~ (v = r /\ a < cells D) -> run K t m v a = m v a) /\
  fcomm_safe sg (extent sg (kernel_types (index.Kernel.ik_inputs ik) d)) c ie /\
  fcomm_int64 sg c ie.
Proof.
  intros checked. exact (index.Versions.versions_index ik v text (index.Versions.certifies_versions_sound v text checked)).
Qed.

(** The same where products are fused, sums are in another order, or the kernel is read from a functional program:
    [Leaves] says it whatever the processor's answers are. *)
Theorem fused_versions_mean ik v text :
  index.Versions.certifies_versions v text = true ->
  Forall (index.Fuse.ComputesFused ik) (index.Versions.sources v) ->
  regroup.Whichever.Leaves v text (regroup.Whichever.fused_result ik).
Proof.
  intros checked. exact (regroup.Whichever.versions_fused ik v text (index.Versions.certifies_versions_sound v text checked)).
Qed.

Theorem reordered_versions_mean k g w v text :
  index.Versions.certifies_versions v text = true -> regroup.Regroup.regroups k g w = true ->
  Forall (index.LowerProof.ComputesIndex g) (index.Versions.sources v) ->
  regroup.Whichever.Leaves v text (regroup.Whichever.reordered_result k g).
Proof.
  intros checked regroups computes.
  exact (regroup.Whichever.versions_reordered k g w v text regroups computes
           (index.Versions.certifies_versions_sound v text checked)).
Qed.

Theorem fused_reordered_versions_mean k g w v text :
  index.Versions.certifies_versions v text = true -> regroup.Regroup.regroups k g w = true ->
  Forall (index.Fuse.ComputesFused g) (index.Versions.sources v) ->
  regroup.Whichever.Leaves v text (regroup.Whichever.fused_reordered_result k g).
Proof.
  intros checked regroups computes.
  exact (regroup.Whichever.versions_fused_reordered k g w v text regroups computes
           (index.Versions.certifies_versions_sound v text checked)).
Qed.

Theorem functional_versions_mean f ik v text :
  index.Versions.certifies_versions v text = true ->
  Forall (index.LowerProof.ComputesIndex ik) (index.Versions.sources v) -> index.Reads.ReadsAs f ik ->
  regroup.Whichever.Leaves v text (regroup.Whichever.functional_result f).
Proof.
  intros checked. exact (regroup.Whichever.versions_functional f ik v text (index.Versions.certifies_versions_sound v text checked)).
Qed.

(** With products that are fused: [fusing K] are the numbers of [K] whose products are not rounded before
    they are added to another number, which is [Fma] of K. That is the specification, bit for bit; no plan
    has a part in it. Where [Fma] is a product and a sum, as it is of real numbers, it is the kernel. *)
Theorem fused_certificate_means ik plain k text :
  certifies k text = true -> index.LowerProof.ComputesIndex ik plain -> index.Fuse.fuses_to plain k ->
  exists f, parse text = Some f /\
  forall sg, facts_hold sg (kernel_facts k) ->
  let D := ty_val sg (kernel_output k) in
  forall K junk ie m t, behaves sg K junk (file_body f) ie t ->
  forall indices, index.LowerTerms.below sg indices (index.Kernel.st_extents (index.Kernel.ik_output ik)) ->
  inb D (map Ix indices) ->
  let xs := map (index.LowerProof.tensor_of K) (input_values sg K (kernel_inputs k) m) in
  let y := run K t m (List.length (kernel_inputs k)) (place_of D (map Ix indices)) in
  y = index.Fuse.round (index.Kernel.ikernel_val sg (index.Fuse.fusing K)
        (map (index.Fuse.as_rounded K) xs) ik indices) /\
  (index.Fuse.unfused K -> y = index.Kernel.ikernel_val sg K xs ik indices).
Proof.
  intros checked computes fused.
  exact (index.Fuse.certified_fused ik k text (certifies_sound k text checked)
           (index.Fuse.fuses_to_sound ik plain k computes fused)).
Qed.

(** Of real numbers it is (by their axioms): there the fused kernel is the kernel. *)
Theorem fused_is_real erf : index.Fuse.unfused (array.RealNumbers.reals erf).
Proof. exact (schedule.RealVariants.reals_unfused erf). Qed.

(** With approximations of exp, tanh and erf, by choice: a kernel [written] with them is [kernel_in_lanes written],
    which is lowered, planned and certified as any kernel. What is computed is [written] over [in_lanes K]. *)
Theorem lanes_kernel_means sg K (ts : list (index.Kernel.tensor K)) written indices :
  let k := index.Lanes.kernel_in_lanes written in
  index.Kernel.ikernel_val sg K ts k indices =
    index.Kernel.ikernel_val sg (index.Lanes.in_lanes K) ts written indices /\
  (index.Lanes.exact_lanes K ->
   index.Kernel.ikernel_val sg K ts k indices = index.Kernel.ikernel_val sg K ts written indices).
Proof.
  split; [apply index.Lanes.kernel_lanes | apply index.Lanes.kernel_exact].
Qed.

Theorem lanes_program_means sg K written iv vals p :
  let e := index.Lanes.term_in_lanes written in
  eval sg K iv vals e p = eval sg (index.Lanes.in_lanes K) iv vals written p /\
  (index.Lanes.exact_lanes K -> eval sg K iv vals e p = eval sg K iv vals written p).
Proof.
  split; [apply index.Lanes.program_lanes | apply index.Lanes.program_exact].
Qed.

Theorem lanes_are_fixed libm pow x :
  let K := index.Lanes.in_lanes (array.Binary32.binary32 libm pow) in
  op1 K Exp x = array.Binary32.exp_lanes32 x /\ op1 K Tanh x = array.Binary32.tanh_lanes32 x /\
  op1 K Erf x = array.Binary32.erf_lanes32 x.
Proof. repeat split. Qed.

(** By their axioms. *)
Theorem lanes_are_real erf : index.Lanes.exact_lanes (array.RealNumbers.reals erf).
Proof. intros o x. destruct o; reflexivity. Qed.

(** A functional program that reads as a kernel in index notation has the kernel's value at every
    element: for all sizes of which the kernel's facts hold, over any scalars, so bit for bit, from
    whatever is in memory. [r] is what both say of one element. *)
Theorem reader_means f ik r : index.Reads.reads_as f ik r = true ->
  forall sg, facts_hold sg (index.Kernel.ik_facts ik) ->
  forall K m indices, index.LowerTerms.below sg indices (index.Kernel.st_extents (index.Kernel.ik_output ik)) ->
  eval sg K [] (input_values sg K (kernel_inputs f) m) (kernel_term f)
    (index.Reads.cell_at (kernel_output f) indices) =
  index.Kernel.ikernel_val sg K
    (map (index.LowerProof.tensor_of K) (input_values sg K (index.Kernel.ik_inputs ik) m)) ik indices.
Proof.
  intros reads sg FACTS K m indices INSIDE.
  destruct (index.Reads.reads_as_sound f ik r reads) as (_ & _ & SAME).
  exact (proj2 (SAME sg FACTS) K m indices INSIDE).
Qed.

(** The certificate of a functional program that a plan serves: whatever the plan, the text leaves in
    its output what the program, as it is written, says. *)
Theorem functional_certificate_means f ik k text r :
  certifies k text = true -> index.LowerProof.ComputesIndex ik k -> index.Reads.reads_as f ik r = true ->
  exists file, parse text = Some file /\
  forall sg, facts_hold sg (kernel_facts k) ->
  let D := ty_val sg (kernel_output f) in
  forall K junk ie m t, behaves sg K junk (file_body file) ie t ->
  forall p, inb D p ->
  run K t m (List.length (kernel_inputs f)) (place_of D p) =
  eval sg K [] (input_values sg K (kernel_inputs f) m) (kernel_term f) p.
Proof.
  intros checked computes reads.
  exact (index.Reads.text_of_program f ik k text (certifies_sound k text checked) computes
           (index.Reads.reads_as_sound f ik r reads)).
Qed.

(** A library of a model ([vouch build]): values are runs of cells, row-major; [graph_values] composes
    what the kernels compute, in index notation, and knows no places. [runs] calls the certified
    texts, each under any interleaving of its threads, on pointers to the places of the plan. There
    is such a run, and every one leaves the graph's values in the results, and changes nothing in
    buffers that are only read. Over any scalars. *)
Theorem library_means ks p : build.Calls.plan_ok (map build.Calls.ck_index ks) p = true ->
  forall K (given : list (nat -> num K)) (M : build.Calls.memory K),
  List.length given = build.Calls.pl_values p ->
  (forall r, In r (build.Calls.pl_given p) -> forall a, a < N.to_nat (build.Calls.re_cells r) ->
     build.Calls.cell M (build.Calls.re_place r) a =
     build.Calls.value_of given (N.to_nat (build.Calls.re_value r)) a) ->
  (exists M1, build.Calls.runs K (build.Calls.pl_buffers p) ks (build.Calls.pl_calls p) M M1) /\
  forall M1, build.Calls.runs K (build.Calls.pl_buffers p) ks (build.Calls.pl_calls p) M M1 ->
  (forall r, In r (build.Calls.pl_results p) -> forall a, a < N.to_nat (build.Calls.re_cells r) ->
     build.Calls.cell M1 (build.Calls.re_place r) a =
     build.Calls.value_of (build.Calls.graph_values K (map build.Calls.ck_node ks) given (build.Calls.pl_calls p))
       (N.to_nat (build.Calls.re_value r)) a) /\
  (forall b, build.CallsProof.only_read p b -> forall a, M1 b a = M b a).
Proof. exact (build.CallsProof.plan_means ks p). Qed.

(** Nodes of the graph may have products that are fused; where [Fma] is a product and a sum, as it is of real
    numbers, every value is that of the graph without. *)
Theorem library_unfused K nodes : index.Fuse.unfused K -> forall calls given v a,
  build.Calls.value_of (build.Calls.graph_values K nodes given calls) v a =
  build.Calls.value_of (build.Calls.graph_values K (map build.Nodes.unfuse nodes) given calls) v a.
Proof.
  intros LAW calls given. apply build.CallsProof.same_value, build.CallsProof.graph_unfused;
    [exact LAW | apply build.Nodes.same_cells_refl].
Qed.

(** What is computed may be other than what is written: sums in another order, products that are fused, approximations
    of exp, tanh and erf. Where addition is associative and commutative, [Fma] a product and a sum, and nothing is approximated, each
    such node has the elements of a kernel of [written] ([build.Written.stands_in_order] and its kin say so, from what the kernel's
    certificate checks); then the calls leave the values of the graph of these kernels in the results. *)
Theorem library_written_means ks written p : build.Calls.plan_ok (map build.Calls.ck_index ks) p = true ->
  (forall K, build.Written.exact_numbers K ->
     Forall2 (build.Written.stands_for K) (map build.Calls.ck_node ks) written) ->
  forall K, build.Written.exact_numbers K ->
  forall (given : list (nat -> num K)) (M M1 : build.Calls.memory K),
  List.length given = build.Calls.pl_values p ->
  (forall r, In r (build.Calls.pl_given p) -> forall a, a < N.to_nat (build.Calls.re_cells r) ->
     build.Calls.cell M (build.Calls.re_place r) a =
     build.Calls.value_of given (N.to_nat (build.Calls.re_value r)) a) ->
  build.Calls.runs K (build.Calls.pl_buffers p) ks (build.Calls.pl_calls p) M M1 ->
  forall r, In r (build.Calls.pl_results p) -> forall a, a < N.to_nat (build.Calls.re_cells r) ->
  build.Calls.cell M1 (build.Calls.re_place r) a =
  build.Calls.value_of
    (build.Calls.graph_values K (map build.Written.as_written written) given (build.Calls.pl_calls p))
    (N.to_nat (build.Calls.re_value r)) a.
Proof. exact (build.Written.written_means ks written p). Qed.

(** The real numbers have these laws, by their axioms in Coq's standard library. *)
Theorem reals_are_exact erf : build.Written.exact_numbers (array.RealNumbers.reals erf).
Proof.
  constructor.
  - exact (regroup.Additive.rings_are_additive _ (adjoint.Reals.reals_ring_like erf)).
  - exact (schedule.RealVariants.reals_unfused erf).
  - exact (lanes_are_real erf).
Qed.

(** From a model to the graph that is lowered ([vouch build]): whatever operators mean, and whatever inputs
    are. What is left to show are claims about small graphs: of each rewrite, that the nodes it took away and
    those it put there have the same value, whatever they read; of each fold, that the constant is its value. *)
Theorem chain_means c : build.Chain.chain_ok c = true ->
  forall A (meaning : positive -> list A -> A),
  Forall (build.Chain.region_holds meaning) (build.Chain.ch_steps c) ->
  forall given,
  map (build.Chain.values_of A meaning given (build.Chain.ch_last c)) (build.Chain.ch_last_outputs c) =
  map (build.Chain.values_of A meaning given (build.Chain.ch_first c)) (build.Chain.ch_first_outputs c).
Proof. exact (build.ChainProof.chain_outputs c). Qed.

(** Three of them; schedule/Variants.v has one theorem for each. *)
Theorem variants_agree K : Variants.adds K ->
  let value sizes vals e := eval (Variants.sizes sizes) K [] vals e in
  (forall m xs ys, value [16 * m] [xs; ys] Variants.dot [] =
     value [m] [xs; ys] Variants.dot_lanes []) /\
  (forall mt nt k a b i j, value [4 * mt; k; 16 * nt] [a; b] Variants.matmul [Ix i; Ix j] =
     value [mt; nt; k] [a; b] Variants.matmul_tiled [Ix i; Ix j]) /\
  (forall m1 n1 m n a i j, value [m1; n1; m; n] [a] Variants.sum_block [Ix i; Ix j] =
     value [m1; n1; m; n] [a] Variants.sum_block_bands [Ix i; Ix j]).
Proof.
  intros ADDS value. split; [|split].
  - exact (Variants.dot_dot_lanes K ADDS).
  - exact (Variants.matmul_matmul_tiled K ADDS).
  - exact (Variants.sum_block_sum_block_bands K ADDS).
Qed.

(** [Adjoint.inner_outputs]: the sum of cotangents times tangents over all elements of all outputs;
    dY is the cotangent of the output, [dL] of the locals that are outputs too. [v] is a direction
    in which the target moves, and the other inputs do not. *)
Theorem gradient_certificate_means k g w : adjoint.Adjoint.is_gradient k g w = true ->
  forall sg, facts_hold sg (index.Kernel.ik_facts k) ->
  forall K, adjoint.Rings.ring_like K ->
  forall xs dY dL v, List.length xs = List.length (index.Kernel.ik_inputs k) ->
  adjoint.Adjoint.inner_outputs k w K sg xs (adjoint.Adjoint.directions k w K v) dY dL =
  adjoint.Adjoint.inner K (adjoint.Substitute.sizes_val sg (adjoint.Adjoint.target_axes k w))
    (index.Kernel.ikernel_val sg K (adjoint.Adjoint.gradient_inputs k g w K xs dY dL) g) v.
Proof. exact (adjoint.AdjointProof.gradient_sound k g w). Qed.

(** The same of C: [dX] is what the text leaves in its output's cells. That the text computes the
    gradient kernel holds over any scalars; that this is an adjoint, over a commutative ring. *)
Theorem gradient_text_means k g w c text :
  adjoint.Adjoint.is_gradient k g w = true -> index.LowerProof.ComputesIndex g c ->
  certifies c text = true ->
  exists f, parse text = Some f /\
  forall sg, facts_hold sg (index.Kernel.ik_facts k) -> facts_hold sg (index.Kernel.ik_facts g) ->
  forall K, adjoint.Rings.ring_like K ->
  forall junk ie m t, behaves sg K junk (file_body f) ie t ->
  forall xs dY dL v, List.length xs = List.length (index.Kernel.ik_inputs k) ->
  adjoint.Composed.holds_inputs k g w c sg K m xs dY dL ->
  let D := ty_val sg (kernel_output c) in
  let dX := fun indices => run K t m (List.length (kernel_inputs c)) (place_of D (map Ix indices)) in
  adjoint.Adjoint.inner_outputs k w K sg xs (adjoint.Adjoint.directions k w K v) dY dL =
  adjoint.Adjoint.inner K (adjoint.Substitute.sizes_val sg (adjoint.Adjoint.target_axes k w)) dX v.
Proof.
  intros gradient computes checked.
  exact (adjoint.Composed.gradient_text k g w c text gradient computes (certifies_sound c text checked)).
Qed.

(** Over the real numbers: the derivative of the sum of cotangents times outputs in the direction
    [v], where no corner or pole is met in the computation of any output. *)
Theorem gradient_derivative_means erf sg k g w xs dY dL v :
  adjoint.Adjoint.is_gradient k g w = true ->
  facts_hold sg (index.Kernel.ik_facts k) -> List.length xs = List.length (index.Kernel.ik_inputs k) ->
  (forall i, In i (adjoint.Points.points (adjoint.Adjoint.extents_val sg (index.Kernel.ik_output k)) []) ->
     adjoint.DerivativeProof.regular_at erf sg k xs
       (adjoint.Adjoint.directions k w (array.RealNumbers.reals erf) v) (rev i)) ->
  (forall f, In f (adjoint.Adjoint.wi_outputs w) ->
     forall i, In i (adjoint.Points.points (adjoint.Adjoint.extents_val sg (adjoint.Tensors.local k f)) []) ->
     adjoint.DerivativeProof.regular_local erf sg k xs
       (adjoint.Adjoint.directions k w (array.RealNumbers.reals erf) v) f (rev i)) ->
  Ranalysis1.derivable_pt_lim (adjoint.DerivativeProof.outputs_at erf sg k w xs dY dL v) Rdefinitions.R0
    (adjoint.Adjoint.inner (array.RealNumbers.reals erf)
      (adjoint.Substitute.sizes_val sg (adjoint.Adjoint.target_axes k w))
      (index.Kernel.ikernel_val sg (array.RealNumbers.reals erf)
        (adjoint.Adjoint.gradient_inputs k g w (array.RealNumbers.reals erf) xs dY dL) g) v).
Proof. exact (adjoint.DerivativeProof.gradient_derivative erf sg k g w xs dY dL v). Qed.

(** [k] is the kernel as it is written, [g] the one that adds in the order of its C text, [c] what is
    certified of that. The text leaves the elements of [g], bit for bit, over any scalars; and those of
    [k] where addition is associative and commutative, and zero is neutral. Of floats, whose sums round,
    only the first is said. *)
Theorem regrouping_means k g w c text :
  regroup.Regroup.regroups k g w = true -> index.LowerProof.ComputesIndex g c ->
  certifies c text = true ->
  exists f, parse text = Some f /\
  forall sg, facts_hold sg (index.Kernel.ik_facts k) -> facts_hold sg (index.Kernel.ik_facts g) ->
  forall K junk ie m t, behaves sg K junk (file_body f) ie t ->
  let D := ty_val sg (kernel_output c) in
  let xs := map (index.LowerProof.tensor_of K) (input_values sg K (kernel_inputs c) m) in
  forall indices, index.LowerTerms.below sg indices (index.Kernel.st_extents (index.Kernel.ik_output k)) ->
  let y := run K t m (List.length (kernel_inputs c)) (place_of D (map Ix indices)) in
  y = index.Kernel.ikernel_val sg K xs g indices /\
  (regroup.Additive.additive K -> y = index.Kernel.ikernel_val sg K xs k indices).
Proof.
  intros checked computes certified.
  exact (regroup.Composed.regrouped_text k g w c text checked computes (certifies_sound c text certified)).
Qed.

(** With products fused besides: the elements of [g] are over numbers whose products are added unrounded. *)
Theorem fused_regrouping_means k g w c text :
  regroup.Regroup.regroups k g w = true -> index.Fuse.ComputesFused g c -> certifies c text = true ->
  regroup.Composed.FusedReordered k g c text.
Proof.
  intros checked computes certified.
  exact (regroup.Composed.fused_regrouped_text k g w c text checked computes (certifies_sound c text certified)).
Qed.

(** Integers of w bits that wrap around are such scalars; rings are (rings_are_additive), and so the reals. *)
Theorem integers_regroup w (some : (1 < w)%Z) : regroup.Additive.additive (regroup.Words.words w some).
Proof. exact (regroup.Words.words_additive w some). Qed.

(** The real numbers are, by their axioms in Coq's standard library. *)
Theorem reals_regroup erf : regroup.Additive.additive (array.RealNumbers.reals erf).
Proof. exact (regroup.Additive.rings_are_additive _ (adjoint.Reals.reals_ring_like erf)). Qed.

(** The laws that theorems about rules over any scalars may ask for are laws of floats of any precision: so these theorems say
    something of IEEE 754's numbers. The larger of two is NaN where one is, and of zeros the positive one. *)
Theorem floats_have_laws prec emax :
  tensor.Laws.commutes (Floats.SpecFloat.SFadd prec emax) /\
  tensor.Laws.commutes (Floats.SpecFloat.SFmul prec emax) /\
  tensor.Laws.undoes Floats.SpecFloat.SFopp /\
  tensor.Laws.truths_compare Floats.SpecFloat.SFeqb (Floats.SpecFloat.S754_finite false 8388608 (-23))
    (Floats.SpecFloat.S754_zero false) /\
  tensor.Laws.semilattice tensor.FloatLaws.larger_float tensor.FloatLaws.largest_float /\
  tensor.Laws.semilattice tensor.FloatLaws.smaller_float tensor.FloatLaws.smallest_float.
Proof.
  exact (conj (tensor.FloatLaws.float_sums_commute prec emax) (conj (tensor.FloatLaws.float_products_commute prec emax)
    (conj tensor.FloatLaws.float_sign_twice (conj tensor.FloatLaws.float_truths_compare
      (conj tensor.FloatLaws.larger_float_laws tensor.FloatLaws.smaller_float_laws))))).
Qed.
