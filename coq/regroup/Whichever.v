(** What versions of a kernel for kinds of processors compute, where the kernel is not computed as it
    stands: its products are fused, its sums are in another order, or it is a functional program.

    [Leaves]              whichever is called, what holds of the output's cells; nothing else changes, no
                          access is out of bounds, no index overflows
    [versions_leave]      that it holds of each version alone is enough
    [versions_fused]      products that are added without being rounded
    [versions_reordered]  the same sums in another order
    [versions_fused_reordered]   both
    [versions_functional] the functional program that the kernel reads as
    [versions_reordered_functional]   and its sums in another order *)

From Coq Require String.
From Coq Require Import Arith ZArith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Flat imp.Threads imp.ThreadsProof imp.Int64 imp.Int64Limits lower.SafeProof lower.Flatten lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Parse certify.Computes certify.Certificate.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Reads index.Fuse index.Versions.
From Vouch Require Import adjoint.Decide regroup.Additive regroup.Regroup regroup.RegroupProof regroup.Composed.
From Vouch Require Import adjoint.Composed adjoint.Substitute.
Import ListNotations.

(** Of the memory before, and the cells of the output after. *)
Definition result : Type := forall (sg : nat -> nat) (K : scalars), mem K -> (nat -> num K) -> Prop.

Definition Leaves (v : versions) (text : String.string) (holds : result) : Prop :=
  let k := vs_generic v in
  exists f, parse_versions text = Some f /\
  forall yes, exists c, chosen f yes = Some c /\
  forall sg, facts_hold sg (kernel_facts k) -> Forall (fits sg) (all_limits v) ->
  let r := length (kernel_inputs k) in
  let d := kernel_output k in
  forall K junk ie m,
  (exists t, behaves sg K junk c ie t) /\
  forall t, behaves sg K junk c ie t ->
  holds sg K m (run K t m r) /\
  (forall v a, ~ (v = r /\ a < cells (ty_val sg d)) -> run K t m v a = m v a) /\
  fcomm_safe sg (extent sg (kernel_types (kernel_inputs k) d)) c ie /\
  fcomm_int64 sg c ie.

Theorem versions_leave v text (holds : result) : CertifiedVersions v text ->
  (forall k, In k (sources v) -> forall sg, facts_hold sg (kernel_facts k) -> forall K m y,
     (forall p, inb (ty_val sg (kernel_output k)) p ->
        y (place_of (ty_val sg (kernel_output k)) p) = kernel_value sg K k m p) -> holds sg K m y) ->
  Leaves v text holds.
Proof.
  intros (parsed & _ & COMPUTES & CHOSEN) EACH. exists (vfile_of v). split; [exact parsed|].
  intros yes. destruct (CHOSEN yes) as (k & k_in & is_k). exists (file_body (file_of k)). split; [exact is_k|].
  destruct (COMPUTES k k_in) as [same RIGHT].
  assert (facts : kernel_facts k = kernel_facts (vs_generic v)) by exact (f_equal (fun i => snd (fst (fst i))) same).
  assert (inputs : kernel_inputs k = kernel_inputs (vs_generic v)) by exact (f_equal (fun i => snd (fst i)) same).
  assert (output : kernel_output k = kernel_output (vs_generic v)) by exact (f_equal snd same).
  intros sg FACTS small r d K junk ie m. split; [apply behaves_exists|]. intros t RUNS.
  rewrite <- facts in FACTS. destruct (RIGHT sg FACTS K junk ie m t RUNS) as (value & frame & SAFE & exact_if).
  subst r d. rewrite <- inputs, <- output.
  split; [exact (EACH k k_in sg FACTS K m _ value)|]. split; [exact frame|]. split; [exact SAFE|].
  apply exact_if. rewrite Forall_forall in small. apply Forall_forall. intros l l_in. apply small. unfold all_limits.
  apply in_flat_map. exists k. auto.
Qed.

(** ** Products that are fused *)

Definition fused_result (ik : ikernel) : result := fun sg K m y =>
  let D := ty_val sg (array_ty (st_extents (ik_output ik))) in
  let xs := map (tensor_of K) (input_values sg K (ik_inputs ik) m) in
  forall indices, below sg indices (st_extents (ik_output ik)) ->
  y (place_of D (map Ix indices)) = round (ikernel_val sg (fusing K) (map (as_rounded K) xs) ik indices) /\
  (unfused K -> y (place_of D (map Ix indices)) = ikernel_val sg K xs ik indices).

Theorem versions_fused ik v text : CertifiedVersions v text -> Forall (ComputesFused ik) (sources v) ->
  Leaves v text (fused_result ik).
Proof.
  intros CERTIFIED FUSED. apply versions_leave; [exact CERTIFIED|]. rewrite Forall_forall in FUSED.
  intros k k_in sg FACTS K m y value. unfold fused_result. intros indices INSIDE.
  destruct (FUSED k k_in) as (facts & inputs & output & VALUE). rewrite facts in FACTS.
  rewrite <- inputs, <- output, value.
  - apply VALUE; assumption.
  - rewrite output. now apply below_inb.
Qed.

(** ** Sums in another order *)

Definition reordered_result (k g : ikernel) : result := fun sg K m y =>
  facts_hold sg (ik_facts k) ->
  let D := ty_val sg (array_ty (st_extents (ik_output g))) in
  let xs := map (tensor_of K) (input_values sg K (ik_inputs g) m) in
  forall indices, below sg indices (st_extents (ik_output k)) ->
  y (place_of D (map Ix indices)) = ikernel_val sg K xs g indices /\
  (additive K -> y (place_of D (map Ix indices)) = ikernel_val sg K xs k indices).

Theorem versions_reordered k g w v text :
  regroups k g w = true -> Forall (ComputesIndex g) (sources v) -> CertifiedVersions v text ->
  Leaves v text (reordered_result k g).
Proof.
  intros CHECKED COMPUTES CERTIFIED. apply versions_leave; [exact CERTIFIED|]. rewrite Forall_forall in COMPUTES.
  intros c c_in sg FACTS K m y value. unfold reordered_result. intros FACTS_K indices inside.
  destruct (COMPUTES c c_in) as (facts & inputs & output & VALUE). rewrite facts in FACTS.
  pose proof (regrouped_inside k g w sg indices CHECKED inside) as inside_g.
  set (xs := map (tensor_of K) (input_values sg K (ik_inputs g) m)).
  assert (bits : y (place_of (ty_val sg (array_ty (st_extents (ik_output g)))) (map Ix indices)) = ikernel_val sg K xs g indices).
  { subst xs. rewrite <- inputs, <- output, value.
    - apply VALUE; assumption.
    - rewrite output. now apply below_inb. }
  split; [exact bits|]. intros ADDS. rewrite bits.
  exact (regroups_sound k g w CHECKED sg FACTS_K K ADDS xs indices inside).
Qed.

Definition fused_reordered_result (k g : ikernel) : result := fun sg K m y =>
  facts_hold sg (ik_facts k) ->
  let D := ty_val sg (array_ty (st_extents (ik_output g))) in
  let xs := map (tensor_of K) (input_values sg K (ik_inputs g) m) in
  forall indices, below sg indices (st_extents (ik_output k)) ->
  y (place_of D (map Ix indices)) = round (ikernel_val sg (fusing K) (map (as_rounded K) xs) g indices) /\
  (additive K -> unfused K -> y (place_of D (map Ix indices)) = ikernel_val sg K xs k indices).

Theorem versions_fused_reordered k g w v text :
  regroups k g w = true -> Forall (ComputesFused g) (sources v) -> CertifiedVersions v text ->
  Leaves v text (fused_reordered_result k g).
Proof.
  intros CHECKED COMPUTES CERTIFIED.
  destruct (versions_fused g v text CERTIFIED COMPUTES) as (f & parsed & EACH). exists f. split; [exact parsed|].
  intros yes. destruct (EACH yes) as (c & is_c & VALUES). exists c. split; [exact is_c|].
  intros sg FACTS small r d K junk ie m. destruct (VALUES sg FACTS small K junk ie m) as [runs RUNS].
  split; [exact runs|]. intros t t_runs. destruct (RUNS t t_runs) as (values & rest). split; [|exact rest].
  unfold fused_reordered_result. intros FACTS_K indices inside.
  destruct (values indices (regrouped_inside k g w sg indices CHECKED inside)) as [bits plain].
  split; [exact bits|]. intros ADDS LAW. etransitivity; [exact (plain LAW)|].
  exact (regroups_sound k g w CHECKED sg FACTS_K K ADDS _ indices inside).
Qed.

(** ** Functional programs *)

Definition functional_result (f : source) : result := fun sg K m y =>
  forall p, inb (ty_val sg (kernel_output f)) p ->
  y (place_of (ty_val sg (kernel_output f)) p) = kernel_value sg K f m p.

Theorem versions_functional f ik v text :
  CertifiedVersions v text -> Forall (ComputesIndex ik) (sources v) -> ReadsAs f ik ->
  Leaves v text (functional_result f).
Proof.
  intros CERTIFIED COMPUTES (inputs_f & output_f & READ). apply versions_leave; [exact CERTIFIED|].
  rewrite Forall_forall in COMPUTES. intros k k_in sg FACTS K m y value p p_in.
  destruct (COMPUTES k k_in) as (facts & inputs & output & VALUE). rewrite facts in FACTS.
  destruct (cells_are_elements sg _ _ output_f p p_in) as (indices & p_is & INSIDE & inside & place).
  destruct (READ sg FACTS) as [_ SAME].
  rewrite place, p_is, (SAME K m indices INSIDE), <- inputs. rewrite <- output in inside. rewrite <- output.
  rewrite (value _ inside). apply VALUE; assumption.
Qed.

Definition reordered_functional_result (f : source) (k : ikernel) : result := fun sg K m y =>
  facts_hold sg (ik_facts k) -> additive K -> functional_result f sg K m y.

Theorem versions_reordered_functional f k g w v text :
  regroups k g w = true -> Forall (ComputesIndex g) (sources v) -> CertifiedVersions v text -> ReadsAs f k ->
  ik_inputs k = ik_inputs g -> st_extents (ik_output k) = st_extents (ik_output g) ->
  Leaves v text (reordered_functional_result f k).
Proof.
  intros CHECKED COMPUTES CERTIFIED (inputs_f & output_f & READ) same_inputs same_extents.
  destruct (versions_reordered k g w v text CHECKED COMPUTES CERTIFIED) as (file & parsed & EACH).
  exists file. split; [exact parsed|]. intros yes. destruct (EACH yes) as (c & is_c & VALUES).
  exists c. split; [exact is_c|]. intros sg FACTS small r d K junk ie m.
  destruct (VALUES sg FACTS small K junk ie m) as [runs RUNS]. split; [exact runs|]. intros t t_runs.
  destruct (RUNS t t_runs) as (values & rest). split; [|exact rest].
  unfold reordered_functional_result, functional_result. intros FACTS_K ADDS p p_in.
  destruct (cells_are_elements sg _ _ output_f p p_in) as (indices & p_is & INSIDE & _ & place).
  destruct (READ sg FACTS_K) as [_ SAME]. rewrite place, p_is, (SAME K m indices INSIDE), same_inputs, same_extents.
  destruct (values FACTS_K indices INSIDE) as [_ LAW]. exact (LAW ADDS).
Qed.
