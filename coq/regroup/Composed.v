(** What is certified of a kernel that adds in another order, together: its C text computes [g], bit for
    bit over any scalars; and where addition has its laws, what it leaves in its output are the elements
    of [k].

    [Reordered]        what a certificate says
    [regrouped_text]   and by which check
    [FusedReordered] [fused_regrouped_text]   the same where products are fused besides: the text leaves the elements of
                       [g] over numbers whose products are added unrounded
    [text_of_reordered_program]   of a functional program that the kernel reads as *)

From Coq Require String.
From Coq Require Import Arith ZArith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Flat imp.Threads lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Parse certify.Certificate.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Reads index.Fuse.
From Vouch Require Import adjoint.Decide regroup.Additive regroup.Regroup regroup.RegroupProof.
From Vouch Require Import adjoint.Composed adjoint.Substitute.
Import ListNotations.

Definition Reordered (k g : ikernel) (c : source) (text : String.string) : Prop :=
  exists f, parse text = Some f /\
  forall sg, facts_hold sg (ik_facts k) -> facts_hold sg (ik_facts g) ->
  forall K junk ie m t, behaves sg K junk (file_body f) ie t ->
  let D := ty_val sg (kernel_output c) in
  let xs := map (tensor_of K) (input_values sg K (kernel_inputs c) m) in
  forall indices, below sg indices (st_extents (ik_output k)) ->
  let y := run K t m (length (kernel_inputs c)) (place_of D (map Ix indices)) in
  y = ikernel_val sg K xs g indices /\
  (additive K -> y = ikernel_val sg K xs k indices).

Lemma regrouped_inside k g w sg indices : regroups k g w = true ->
  below sg indices (st_extents (ik_output k)) -> below sg indices (st_extents (ik_output g)).
Proof.
  intros CHECKED inside. unfold regroups, statement_ok in CHECKED. rewrite !andb_true_iff in CHECKED.
  destruct CHECKED as [_ [[shape _] _]]. pose proof (same_sizes_sound sg _ _ shape) as same.
  unfold below, sizes_val in *. now rewrite <- same.
Qed.

Theorem regrouped_text k g w c text :
  regroups k g w = true -> ComputesIndex g c -> Certified c text -> Reordered k g c text.
Proof.
  intros CHECKED COMPUTES CERTIFIED.
  destruct (certified_index g c text CERTIFIED COMPUTES) as (f & parsed & VALUES).
  destruct COMPUTES as (facts_are & _ & output_is & _).
  exists f. split; [exact parsed|]. intros sg FACTS FACTS_G K junk ie m t RUNS D xs indices inside y.
  pose proof (regrouped_inside k g w sg indices CHECKED inside) as inside_g.
  assert (bits : y = ikernel_val sg K xs g indices).
  { rewrite <- facts_are in FACTS_G. apply (VALUES sg FACTS_G K junk ie m t RUNS indices inside_g).
    rewrite output_is. now apply below_inb. }
  split; [exact bits|]. intros ADDS. rewrite bits.
  exact (regroups_sound k g w CHECKED sg FACTS K ADDS xs indices inside).
Qed.

Definition FusedReordered (k g : ikernel) (c : source) (text : String.string) : Prop :=
  exists f, parse text = Some f /\
  forall sg, facts_hold sg (ik_facts k) -> facts_hold sg (ik_facts g) ->
  forall K junk ie m t, behaves sg K junk (file_body f) ie t ->
  let D := ty_val sg (kernel_output c) in
  let xs := map (tensor_of K) (input_values sg K (kernel_inputs c) m) in
  forall indices, below sg indices (st_extents (ik_output k)) ->
  let y := run K t m (length (kernel_inputs c)) (place_of D (map Ix indices)) in
  y = round (ikernel_val sg (fusing K) (map (as_rounded K) xs) g indices) /\
  (additive K -> unfused K -> y = ikernel_val sg K xs k indices).

Theorem fused_regrouped_text k g w c text :
  regroups k g w = true -> ComputesFused g c -> Certified c text -> FusedReordered k g c text.
Proof.
  intros CHECKED COMPUTES CERTIFIED.
  destruct (certified_fused g c text CERTIFIED COMPUTES) as (f & parsed & VALUES).
  destruct COMPUTES as (facts_are & _ & output_is & _).
  exists f. split; [exact parsed|]. intros sg FACTS FACTS_G K junk ie m t RUNS D xs indices inside y.
  pose proof (regrouped_inside k g w sg indices CHECKED inside) as inside_g.
  rewrite <- facts_are in FACTS_G. pose proof (VALUES sg FACTS_G K junk ie m t RUNS indices inside_g) as both.
  rewrite output_is in both. destruct (both (below_inb _ _ _ inside_g)) as [bits plain].
  unfold y, D, xs. rewrite output_is. split; [exact bits|]. intros ADDS LAW. rewrite (plain LAW).
  exact (regroups_sound k g w CHECKED sg FACTS K ADDS _ indices inside).
Qed.

(** The program's value, where addition has its laws. *)
Theorem text_of_reordered_program f k g c text :
  Reordered k g c text -> ComputesIndex g c -> ReadsAs f k ->
  ik_inputs k = ik_inputs g -> st_extents (ik_output k) = st_extents (ik_output g) ->
  exists file, parse text = Some file /\
  forall sg, facts_hold sg (ik_facts k) -> facts_hold sg (ik_facts g) ->
  forall K, additive K -> forall junk ie m t, behaves sg K junk (file_body file) ie t ->
  forall p, inb (ty_val sg (kernel_output f)) p ->
  run K t m (length (kernel_inputs f)) (place_of (ty_val sg (kernel_output f)) p) = kernel_value sg K f m p.
Proof.
  intros (file & parsed & VALUES) (_ & inputs_c & output_c & _) (inputs_f & output_f & READ) same_inputs same_extents.
  exists file. split; [exact parsed|]. intros sg FACTS FACTS_G K ADDS junk ie m t RUNS p p_in.
  destruct (cells_are_elements sg _ _ output_f p p_in) as (indices & p_is & INSIDE & _ & place).
  destruct (READ sg FACTS) as [_ SAME]. rewrite place, p_is, (SAME K m indices INSIDE).
  assert (COUNT : length (kernel_inputs f) = length (kernel_inputs c)).
  { rewrite inputs_c, <- same_inputs. clear - inputs_f. induction inputs_f; cbn; congruence. }
  destruct (VALUES sg FACTS FACTS_G K junk ie m t RUNS indices INSIDE) as [_ LAW].
  rewrite COUNT, same_inputs, <- inputs_c, same_extents, <- output_c. exact (LAW ADDS).
Qed.
