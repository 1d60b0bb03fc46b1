(** Plans for locals too: each local tensor element by element, or by a plan of its own.

    [planned_locals]  the kernel, its locals and its output by their plans
    [plans_fit]       which plans fit
    [plans_to]        what a certificate checks; sound by [plans_to_sound] *)

From Coq Require Import Arith ZArith NArith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics certify.Kernel certify.Certificate.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Finish index.FinishProof index.Plan index.PlanProof.
Import ListNotations.

(** One for each local, in order; beyond them, element by element. *)
Definition plans : Type := list (option plan).

Definition local_by (facts : list fact) (p : option plan) (s : statement) : exp :=
  match p with Some p => tiled_statement facts p s itself | None => lower_statement facts s end.

Fixpoint planned_locals (facts : list fact) (ps : plans) (p : plan) (l : list statement) (last : statement) : exp :=
  match l with
  | [] => tiled_statement facts p last itself
  | s :: more =>
      ELet (EMem (array_ty (st_extents s)) (local_by facts (hd None ps) s))
        (planned_locals facts (tl ps) p more last)
  end.

Definition local_fits (p : option plan) (s : statement) : bool :=
  match p with Some p => statement_fits p s itself | None => true end.

Fixpoint local_plans_fit (ps : plans) (l : list statement) : bool :=
  match l with
  | [] => true
  | s :: more => local_fits (hd None ps) s && local_plans_fit (tl ps) more
  end.

Definition plans_fit (ps : plans) (p : plan) (k : ikernel) : bool :=
  local_plans_fit ps (ik_locals k) && statement_fits p (ik_output k) itself.

Lemma planned_locals_ok sg K facts (FACTS : facts_hold sg facts) p l last : forall ps shapes vs ts indices,
  agree sg K shapes vs ts -> locals_reads_ok shapes l last = true ->
  local_plans_fit ps l = true -> statement_fits p last itself = true -> below sg indices (st_extents last) ->
  eval sg K [] vs (planned_locals facts ps p l last) (map Ix indices) =
  statement_val sg K (locals_val sg K ts l) last indices.
Proof.
  induction l as [|s more IH]; intros ps shapes vs ts indices AGREE ok all_fit fits INSIDE.
  - apply (tiled_statement_ok sg K facts FACTS shapes vs ts AGREE p last itself); assumption || reflexivity.
  - cbn [locals_reads_ok] in ok. apply andb_true_iff in ok as [ok_s ok].
    cbn [local_plans_fit] in all_fit. apply andb_true_iff in all_fit as [fits_s all_fit].
    cbn [planned_locals Semantics.eval locals_val].
    apply (IH (tl ps) (st_extents s :: shapes)); [|exact ok|exact all_fit|exact fits|exact INSIDE].
    intros [|t] at_t; cbn [nth_error nth]; unfold read; cbn [nth]; [|apply AGREE].
    intros at_below. destruct (hd None ps) as [q|]; cbn [local_by local_fits] in *.
    + apply (tiled_statement_ok sg K facts FACTS shapes vs ts AGREE q s itself); assumption || reflexivity.
    + apply (lower_statement_ok sg K facts FACTS shapes); assumption.
Qed.

Definition planned_kernel (ps : plans) (p : plan) (k : ikernel) : exp :=
  planned_locals (ik_facts k) ps p (ik_locals k) (ik_output k).

Definition plans_to (ps : plans) (p : plan) (ik : ikernel) (k : source) : Prop :=
  (kernel_facts k, kernel_inputs k, kernel_output k, kernel_term k, reads_ok ik, plans_fit ps p ik) =
  (ik_facts ik, ik_inputs ik, array_ty (st_extents (ik_output ik)), planned_kernel ps p ik, true, true).

Theorem plans_to_sound ps p ik k : plans_to ps p ik k -> ComputesIndex ik k.
Proof.
  intros same. unfold plans_to in same. injection same as facts inputs output term ok all_fit.
  unfold plans_fit in all_fit. apply andb_true_iff in all_fit as [fit_locals fits].
  split; [exact facts|]. split; [exact inputs|]. split; [exact output|].
  intros sg FACTS K m indices INSIDE. unfold kernel_value. rewrite term, inputs.
  apply (planned_locals_ok sg K (ik_facts ik) FACTS p _ _ ps [] _ _ _ (agree_inputs sg K _) ok fit_locals fits INSIDE).
Qed.
