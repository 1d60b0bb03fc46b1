(** The type checker is sound.

    [infer_sound]  an inferred type is a type, whatever the sizes, if the assumed facts hold *)

From Coq Require Import List Bool.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics array.Typing.
From Vouch Require Import array.Check array.IndexProof array.LayoutProof.
Import ListNotations.

Section CHECK.
  Context (sg : nat -> nat) (facts : list fact) (FACTS : facts_hold sg facts).

  Notation ty_val := (ty_val sg).
  Notation size_val := (size_val sg).

  Lemma ty_eqb_sound d : forall e, ty_eqb d e = true -> ty_val d = ty_val e.
  Proof using.
    clear FACTS. induction d as [|n d IHd|d1 IH1 d2 IH2]; intros [|m e|e1 e2]; simpl;
      try discriminate; auto; intros same; apply andb_true_iff in same as [same1 same2].
    - rewrite (size_eqb_sound sg _ _ same1), (IHd _ same2). reflexivity.
    - rewrite (IH1 _ same1), (IH2 _ same2). reflexivity.
  Qed.

  Definition typed (X : list size) (G : list ty) (e : exp) (d : ty) : Prop :=
    has_ty sg (map size_val X) (map ty_val G) e (ty_val d).

  Lemma has_sound X G e d :
    (forall d1, infer facts X G e = Some d1 -> typed X G e d1) ->
    has (infer facts X G e) d = true -> typed X G e d.
  Proof using.
    unfold has, typed. destruct (infer facts X G e) as [d1|]; [|discriminate].
    intros IH same. rewrite <- (ty_eqb_sound d1 d same). apply IH. reflexivity.
  Qed.

  Lemma op_ty_val o : ty_val (op_ty o) = op_type o.
  Proof using. destruct o; reflexivity. Qed.

  Theorem infer_sound e : forall X G d, infer facts X G e = Some d -> typed X G e d.
  Proof using FACTS.
    induction e as [x|d0 c|o e IHe|e1 IH1 e2 IH2|l e IHe|lo n hi c e IHe|g e1 IH1 e2 IH2
      |k n d1 d2 f IHf e IHe|w n d1 d2 f IHf i IHi e IHe|e1 IH1 e2 IH2|d0 e IHe
      |n m d0 e1 IH1 e2 IH2]; cbn [infer]; intros X G d found; unfold typed.
    - apply TyVar, map_nth_error, found.
    - injection found as d_eq. rewrite <- d_eq. apply TyCst.
    - apply when_some in found as [ok d_eq]. rewrite <- d_eq. apply TyOp.
      rewrite <- op_ty_val. apply has_sound; auto.
    - destruct (infer facts X G e1) as [d1|] eqn:ok1; try discriminate.
      destruct (infer facts X G e2) as [d2|] eqn:ok2; try discriminate.
      injection found as d_eq. rewrite <- d_eq. apply TyPair; [apply IH1 | apply IH2]; assumption.
    - destruct (infer facts X G e) as [S|] eqn:ok; try discriminate.
      apply (TyLay sg _ _ l e (ty_val S)).
      + intros iv bounds. apply (lay_result_sound sg facts FACTS X iv bounds), found.
      + intros inv. apply (lay_inverse_sound sg facts FACTS X); assumption.
      + apply IHe, ok.
    - destruct (infer facts X G e) as [[|n1 a|]|] eqn:ok; try discriminate.
      apply when_some in found as [same d_eq]. rewrite <- d_eq. apply TyPad.
      rewrite <- (size_eqb_sound sg _ _ same). apply (IHe X G (TAry n1 a)), ok.
    - destruct (infer facts X G e1) as [d1|] eqn:ok1; try discriminate.
      apply when_some in found as [ok d_eq]. rewrite <- d_eq.
      apply andb_true_iff in ok as [ok_g ok2]. apply TyIf.
      + intros iv bounds. apply (guard_ok_sound sg facts FACTS X iv bounds), ok_g.
      + apply IH1, ok1.
      + apply has_sound; auto.
    - apply when_some in found as [ok d_eq]. rewrite <- d_eq.
      apply andb_true_iff in ok as [ok_e ok_f]. apply TyMap.
      + apply (has_sound (n :: X) (d1 :: G)); auto.
      + apply (has_sound X G e (TAry n d1)); auto.
    - apply when_some in found as [ok d_eq]. rewrite <- d_eq.
      apply andb_true_iff in ok as [ok ok_f]. apply andb_true_iff in ok as [ok_e ok_i].
      apply TyRed.
      + apply (has_sound (n :: X) (d1 :: d2 :: G)); auto.
      + apply has_sound; auto.
      + apply (has_sound X G e (TAry n d1)); auto.
    - destruct (infer facts X G e1) as [d1|] eqn:ok1; try discriminate.
      apply (TyLet sg _ _ e1 e2 (ty_val d1)); [apply IH1, ok1 | apply (IH2 X (d1 :: G)), found].
    - apply when_some in found as [ok d_eq]. rewrite <- d_eq. apply TyMem, has_sound; auto.
    - apply when_some in found as [ok d_eq]. rewrite <- d_eq.
      apply andb_true_iff in ok as [ok1 ok2]. apply TyCat.
      + apply (has_sound X G e1 (TAry n d0)); auto.
      + apply (has_sound X G e2 (TAry m d0)); auto.
  Qed.
End CHECK.
