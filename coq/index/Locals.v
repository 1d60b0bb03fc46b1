(** Plans for locals too: each local tensor element by element, or by a plan of its own. Copies of
    inputs are locals, those that were made last first.

    [planned_locals]  the kernel, its locals and its output by their plans
    [plans_fit]       which plans fit
    [plans_to]        what a certificate checks; sound by [plans_to_sound]
    [packs_plan_to]   the same where inputs are copied before; sound by [packs_plan_to_sound] *)

From Coq Require Import Arith ZArith NArith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics certify.Kernel certify.Certificate.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Pack index.PackProof.
From Vouch Require Import index.Finish index.FinishProof index.Plan index.PlanProof.
Import ListNotations.

(** One for each of the first locals, in order; the others are computed element by element. *)
Definition plans : Type := list (option plan).

Definition local_by (facts : list fact) (p : option plan) (s : statement) : exp :=
  match p with Some p => tiled_statement facts p s itself | None => lower_statement facts s end.

Fixpoint planned_locals (facts : list fact) (ps : plans) (p : plan) (l : list statement) (last : statement) : exp :=
  match ps, l with
  | q :: qs, s :: more =>
      ELet (EMem (array_ty (st_extents s)) (local_by facts q s)) (planned_locals facts qs p more last)
  | _, _ => tiled_locals facts p l last
  end.

Definition local_fits (p : option plan) (s : statement) : bool :=
  match p with Some p => statement_fits p s itself | None => true end.

Fixpoint planned_fit (ps : plans) (p : plan) (l : list statement) (last : statement) : bool :=
  match ps, l with
  | q :: qs, s :: more => local_fits q s && planned_fit qs p more last
  | _, _ => locals_fit p l last
  end.

Definition plans_fit (ps : plans) (p : plan) (k : ikernel) : bool :=
  planned_fit ps p (ik_locals k) (ik_output k).

Lemma planned_locals_ok sg K facts (FACTS : facts_hold sg facts) p last : forall ps l shapes vs ts indices,
  agree sg K shapes vs ts -> locals_reads_ok shapes l last = true ->
  planned_fit ps p l last = true -> below sg indices (st_extents last) ->
  eval sg K [] vs (planned_locals facts ps p l last) (map Ix indices) =
  statement_val sg K (locals_val sg K ts l) last indices.
Proof.
  induction ps as [|q qs IH]; intros l shapes vs ts indices AGREE ok all_fit INSIDE.
  - apply (tiled_locals_ok sg K facts FACTS p l last shapes); assumption.
  - destruct l as [|s more].
    + apply (tiled_locals_ok sg K facts FACTS p [] last shapes); assumption.
    + cbn [locals_reads_ok] in ok. apply andb_true_iff in ok as [ok_s ok].
      cbn [planned_fit] in all_fit. apply andb_true_iff in all_fit as [fits_s all_fit].
      cbn [planned_locals Semantics.eval locals_val].
      apply (IH more (st_extents s :: shapes)); [|exact ok|exact all_fit|exact INSIDE].
      intros [|t] at_t; cbn [nth_error nth]; unfold read; cbn [nth]; [|apply AGREE].
      intros at_below. destruct q as [q|]; cbn [local_by local_fits] in *.
      * apply (tiled_statement_ok sg K facts FACTS shapes vs ts AGREE q s itself); assumption || reflexivity.
      * apply (lower_statement_ok sg K facts FACTS shapes); assumption.
Qed.

Definition planned_kernel (ps : plans) (p : plan) (k : ikernel) : exp :=
  planned_locals (ik_facts k) ps p (ik_locals k) (ik_output k).

Definition plans_to (ps : plans) (p : plan) (ik : ikernel) (k : source) : Prop :=
  (kernel_facts k, kernel_inputs k, kernel_output k, kernel_term k, reads_ok ik, plans_fit ps p ik) =
  (ik_facts ik, ik_inputs ik, array_ty (st_extents (ik_output ik)), planned_kernel ps p ik, true, true).

Theorem plans_to_sound ps p ik k : plans_to ps p ik k -> ComputesIndex ik k.
Proof.
  intros same. unfold plans_to in same. injection same as facts inputs output term ok fits.
  split; [exact facts|]. split; [exact inputs|]. split; [exact output|].
  intros sg FACTS K m indices INSIDE. unfold kernel_value. rewrite term, inputs.
  apply (planned_locals_ok sg K (ik_facts ik) FACTS p _ ps _ [] _ _ _ (agree_inputs sg K _) ok fits INSIDE).
Qed.

(** As [packs_to], with plans for the copies. *)
Definition packs_plan_to (l : packing) (ps : plans) (p : plan) (ik : ikernel) (k : source) : Prop :=
  packing_fits l ik = true /\ plans_to ps p (packed l ik) k.

Theorem packs_plan_to_sound l ps p ik k : packs_plan_to l ps p ik k -> ComputesIndex ik k.
Proof.
  intros [fits PLANS]. exact (packed_computes l ik k fits (plans_to_sound _ _ _ _ PLANS)).
Qed.
