(** Renaming the tensors of bodies and statements; the tensors of a kernel in the numbering of its
    last statement. *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics index.Kernel.
Import ListNotations.

(** ** Renaming *)

Section RENAME.
  Context (r : nat -> nat).

  Fixpoint body_rename (b : ibody) : ibody :=
    match b with
    | BCon c => BCon c
    | BIndex i => BIndex i
    | BRead t s => BRead (r t) s
    | BGather x n t s q => BGather (body_rename x) n (r t) s q
    | BOp1 o a => BOp1 o (body_rename a)
    | BOp2 o a c => BOp2 o (body_rename a) (body_rename c)
    | BOp3 o a c d => BOp3 o (body_rename a) (body_rename c) (body_rename d)
    | BIf g a c => BIf g (body_rename a) (body_rename c)
    end.

  Definition summand_rename (s : summand) : summand :=
    {| su_loops := su_loops s; su_cond := su_cond s; su_body := body_rename (su_body s) |}.

  Context (sg : nat -> nat) (K : scalars) (ts G : list (tensor K)).
  Context (READ : forall t at_, read K ts t at_ = read K G (r t) at_).

  Lemma body_rename_val iv b : body_val sg K iv ts b = body_val sg K iv G (body_rename b).
  Proof using READ.
    induction b as [c|i|t s|x IHx n t s q|o a IHa|o a IHa c IHc|o a IHa c IHc d IHd|g a IHa c IHc]; cbn; try congruence.
    - now rewrite READ.
    - rewrite IHx. apply gathered_ext. intros k k_lt. now apply element_at_ext.
    - now rewrite IHa, IHc.
  Qed.

  Lemma iterate_ext {A} n (f h : nat -> A -> A) : (forall i a, f i a = h i a) -> forall a, iterate n f a = iterate n h a.
  Proof using Type. intros same a. induction n as [|n IHn]; cbn; [reflexivity|]. now rewrite IHn, same. Qed.

  Lemma fold_rename_val loops c b : forall iv a,
    fold_val sg K loops c b iv ts a = fold_val sg K loops c (body_rename b) iv G a.
  Proof using READ.
    induction loops as [|n loops IHloops]; intros iv a; cbn.
    - now rewrite body_rename_val.
    - apply iterate_ext. intros i b0. apply IHloops.
  Qed.

  Lemma summand_rename_val iv s : summand_val sg K iv ts s = summand_val sg K iv G (summand_rename s).
  Proof using READ.
    unfold summand_val. cbn [su_loops su_cond su_body summand_rename].
    destruct (su_loops s); [now rewrite body_rename_val|apply fold_rename_val].
  Qed.

  Lemma element_rename_val iv l : element_val sg K iv ts l = element_val sg K iv G (map summand_rename l).
  Proof using READ.
    destruct l as [|s l]; [reflexivity|]. cbn. rewrite summand_rename_val.
    generalize (summand_val sg K iv G (summand_rename s)) as first. induction l as [|q l IHl]; intros first; cbn; [reflexivity|].
    rewrite summand_rename_val. apply IHl.
  Qed.
End RENAME.

Lemma body_rename_id b : body_rename (fun t => t) b = b.
Proof. induction b; cbn; congruence. Qed.

Lemma element_ext sg K ts G iv l : (forall t at_, read K ts t at_ = read K G t at_) ->
  element_val sg K iv ts l = element_val sg K iv G l.
Proof.
  intros same. rewrite (element_rename_val (fun t => t) sg K ts G same). f_equal.
  rewrite <- (map_id l) at 2. apply map_ext. intros [loops c b]. unfold summand_rename. cbn.
  now rewrite body_rename_id.
Qed.

(** ** The tensors of a kernel, in the numbering of its last statement *)

Definition no_statement : statement := {| st_extents := []; st_summands := [] |}.
Definition local (k : ikernel) (p : nat) : statement := nth p (rev (ik_locals k)) no_statement.

Section LOCALS.
  Context (sg : nat -> nat) (K : scalars).

  Lemma nth_skipn_shift {A} (d : A) n : forall l t, nth t (skipn n l) d = nth (n + t) l d.
  Proof using Type.
    induction n as [|n IHn]; intros [|x l] t; cbn [skipn nth Nat.add]; try reflexivity; [now destruct t|apply IHn].
  Qed.

  Lemma read_skipn n l t : read K (skipn n l) t = read K l (n + t).
  Proof using Type. apply nth_skipn_shift. Qed.

  Lemma locals_snoc ts l s :
    locals_val sg K ts (l ++ [s]) = statement_val sg K (locals_val sg K ts l) s :: locals_val sg K ts l.
  Proof using Type. revert ts. induction l as [|r l IHl]; intros ts; cbn; [reflexivity|apply IHl]. Qed.

  Lemma locals_length ts l : length (locals_val sg K ts l) = length l + length ts.
  Proof using Type.
    induction l as [|s l IHl] using rev_ind; cbn; [reflexivity|].
    rewrite locals_snoc, app_length. cbn. rewrite IHl. lia.
  Qed.

  Lemma locals_read ts l : forall p, p < length l ->
    read K (locals_val sg K ts l) p =
    statement_val sg K (skipn (S p) (locals_val sg K ts l)) (nth p (rev l) no_statement).
  Proof using Type.
    induction l as [|s l IHl] using rev_ind; intros p; cbn [length]; [lia|].
    rewrite locals_snoc, rev_app_distr, app_length. cbn [length rev app]. intros p_lt.
    destruct p as [|p]; [reflexivity|]. cbn [nth skipn]. apply IHl. lia.
  Qed.

  Lemma locals_inputs ts l : skipn (length l) (locals_val sg K ts l) = ts.
  Proof using Type.
    induction l as [|s l IHl] using rev_ind; [reflexivity|].
    rewrite locals_snoc, app_length, Nat.add_1_r. exact IHl.
  Qed.
End LOCALS.
