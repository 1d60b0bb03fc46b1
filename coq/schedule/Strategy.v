(** Strategies change how a kernel runs, never what it computes.

    [plain e]         e without its strategies: every loop in order, every accumulator in a
                      temporary, nothing stored that need not be
    [plain_eval]      it means the same
    [same_result]     terms that differ in strategies only have the same value, bit for bit *)

From Coq Require Import Arith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
Import ListNotations.

Fixpoint plain (e : exp) : exp :=
  match e with
  | EVar x => EVar x
  | ECst d c => ECst d c
  | EOp o e1 => EOp o (plain e1)
  | EPair e1 e2 => EPair (plain e1) (plain e2)
  | ELay l e1 => ELay l (plain e1)
  | EPad lo n hi c e1 => EPad lo n hi c (plain e1)
  | EIf g e1 e2 => EIf g (plain e1) (plain e2)
  | EMap _ n d1 d2 f e1 => EMap Seq n d1 d2 (plain f) (plain e1)
  | ERed _ n d1 d2 f i e1 => ERed Fresh n d1 d2 (plain f) (plain i) (plain e1)
  | ELet e1 e2 => ELet (plain e1) (plain e2)
  | EMem _ e1 => plain e1
  | ECat n m d e1 e2 => ECat n m d (plain e1) (plain e2)
  end.

Section EVAL.
  Context (sg : nat -> nat) (K : scalars).

  Definition same (v w : value K) : Prop := forall p, v p = w p.

  (** Environments that agree at every cell of every variable. *)
  Definition same_env (vals vals1 : list (value K)) : Prop :=
    forall x, same (nth x vals (zero_value K)) (nth x vals1 (zero_value K)).

  Lemma same_env_cons v w vals vals1 :
    same v w -> same_env vals vals1 -> same_env (v :: vals) (w :: vals1).
  Proof. intros first rest [|x]; simpl; [exact first | apply rest]. Qed.

  Lemma apply_op_same o v w : same v w -> apply_op K o v = apply_op K o w.
  Proof. intros eq. destruct o; simpl; rewrite !eq; reflexivity. Qed.

  Lemma iterate_same n f g v w :
    same v w -> (forall j a b, same a b -> same (f j a) (g j b)) ->
    same (iterate n f v) (iterate n g w).
  Proof. intros start step. induction n as [|n IHn]; simpl; [exact start | apply step, IHn]. Qed.

  Lemma plain_eval_env e : forall iv vals vals1, same_env vals vals1 ->
    same (eval sg K iv vals (plain e)) (eval sg K iv vals1 e).
  Proof.
    induction e as [x|d c|o e1 IH1|e1 IH1 e2 IH2|l e1 IH1|lo n hi c e1 IH1|g e1 IH1 e2 IH2
      |k n d1 d2 f IHf e1 IH1|w n d1 d2 f IHf i IHi e1 IH1|e1 IH1 e2 IH2|d e1 IH1
      |n m d e1 IH1 e2 IH2]; simpl; intros iv vals vals1 env p.
    - apply env.
    - reflexivity.
    - apply apply_op_same, IH1, env.
    - destruct p as [|[i| |] q]; try reflexivity; [apply IH1 | apply IH2]; exact env.
    - apply IH1, env.
    - destruct p as [|[i| |] q]; try reflexivity.
      destruct ((size_val sg lo <=? i) && (i <? size_val sg lo + size_val sg n));
        [apply IH1, env | reflexivity].
    - destruct (guard_val sg (index_env iv) g); [apply IH1 | apply IH2]; exact env.
    - destruct p as [|[i| |] q]; try reflexivity.
      apply IHf, same_env_cons; [|exact env]. intros r. apply IH1, env.
    - apply iterate_same; [apply IHi, env|]. intros j a b acc. apply IHf.
      apply same_env_cons; [intros r; apply IH1, env|]. apply same_env_cons; assumption.
    - apply IH2, same_env_cons; [|exact env]. apply IH1, env.
    - apply IH1, env.
    - destruct p as [|[i| |] q]; try reflexivity.
      destruct (i <? size_val sg n); [apply IH1 | apply IH2]; exact env.
  Qed.

  Lemma plain_eval iv vals e p : eval sg K iv vals (plain e) p = eval sg K iv vals e p.
  Proof. apply plain_eval_env. intros x q. reflexivity. Qed.

  Theorem same_result iv vals e1 e2 p : plain e1 = plain e2 ->
    eval sg K iv vals e1 p = eval sg K iv vals e2 p.
  Proof. intros eq. rewrite <- (plain_eval iv vals e1), eq. apply plain_eval. Qed.
End EVAL.
