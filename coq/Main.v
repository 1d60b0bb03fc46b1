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
    [no_overflow]        64-bit index arithmetic is exact below the stated limits
    [certificate_sound]  a checked certificate gives all this for the C text
    [certificate_means]  the same, of what the C text reads as
    [certificate_of_one_text]  of each kernel one text is certified: no changed one is
    [index_certificate_means]  of a kernel in index notation: its elements are in the output *)

From Coq Require Import List String.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing array.Check.
From Vouch Require Import array.CheckProof.
From Vouch Require Import imp.Syntax imp.Semantics imp.Safety imp.Flat imp.Threads.
From Vouch Require Import imp.ThreadsProof imp.Int64.
From Vouch Require Import lower.Align lower.Lower lower.LowerSpec lower.LowerProof.
From Vouch Require Import lower.SafeProof lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Parse certify.Certificate.
From Vouch Require index.LowerProof.
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
  fcomm_safe sg extent c ie -> Forall (fits sg) (fcomm_limits no_bound c) ->
  fcomm_int64 sg c ie.
Proof. apply fcomm_limits_sound, no_bound_bounded. Qed.

(** One computation decides; see [Certified] for what it decides. *)
Theorem certificate_sound k text : certifies k text = true -> Certified k text.
Proof. apply certifies_sound. Qed.

(** [parse] reads C; it does not know the printer. Sizes satisfy the facts that the kernel
    assumes, and its limits are below 2^63. *)
Theorem certificate_means k text : certifies k text = true ->
  exists f, parse text = Some f /\ file_name f = kernel_name k /\ file_names f = kernel_names k /\
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

(** The certificate of a kernel in index notation says that [lower] gives its program. *)
Theorem index_certificate_means ik k text :
  certifies k text = true -> index.LowerProof.lowers_to ik k ->
  exists f, parse text = Some f /\
  forall sg, facts_hold sg (kernel_facts k) ->
  let D := ty_val sg (kernel_output k) in
  forall K junk ie m t, behaves sg K junk (file_body f) ie t ->
  forall indices, index.LowerProof.below sg indices (index.Kernel.st_extents (index.Kernel.ik_output ik)) ->
  inb D (map Ix indices) ->
  run K t m (List.length (kernel_inputs k)) (place_of D (map Ix indices)) =
  index.Kernel.ikernel_val sg K
    (map (index.LowerProof.tensor_of K) (input_values sg K (kernel_inputs k) m)) ik indices.
Proof.
  intros checked lowered.
  exact (index.LowerProof.certified_index ik k text (certifies_sound k text checked)
           (index.LowerProof.lowers_to_sound ik k lowered)).
Qed.
