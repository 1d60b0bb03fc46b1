(** A lowered term writes its acceptor and its own temporaries, nothing else.

    [view_fun_ok C]    temporaries of C are filled one by one; its view is in scope
    [acc_fun_ok A D]   A writes cells of its acceptor only
    [lower_writes]     both hold of every well-typed term *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame.
From Vouch Require Import lower.Align lower.Lower lower.Scope.
Import ListNotations.

Section WRITES.
  Context (sg : nat -> nat).

  Notation size_val := (size_val sg).
  Notation ty_val := (ty_val sg).
  Notation comm_writes := (comm_writes sg).
  Notation slot := (slot sg).
  Notation writes_only := (writes_only sg).
  Notation prelude_fresh := (prelude_fresh sg).

  Definition view_fun_ok (C : view_fun) : Prop :=
    forall P k xi rho, scoped P k xi rho ->
      prelude_fresh k (fst (C xi rho k)) /\
      view_in (ext P k (length (fst (C xi rho k)))) (k + length (fst (C xi rho k)))
              (snd (C xi rho k)).

  Definition acc_fun_ok (A : acc_fun) (D : sty) : Prop :=
    forall d P k xi rho a ie l, ty_val d = D -> scoped P k xi rho -> acc_below k a ->
      root a < k -> comm_writes (A d xi rho k a) ie l -> slot ie a D l.

  Lemma acc_fun_ok_var A d P k xi rho v :
    acc_fun_ok A (ty_val d) -> scoped P k xi rho -> v < k ->
    writes_only v (A d xi rho k (AVar v)).
  Proof.
    intros A_ok SC v_lt ie l writes.
    destruct (A_ok d P k xi rho (AVar v) ie l eq_refl SC I v_lt writes) as [same _].
    exact same.
  Qed.

  Lemma assign_writes d : forall k a x ie l,
    acc_below k a -> comm_writes (assign d k a x) ie l -> slot ie a (ty_val d) l.
  Proof.
    induction d as [|n d IHd|d1 IH1 d2 IH2]; simpl; intros k a x ie l a_below writes.
    - rewrite writes. split; [reflexivity|]. exists []. simpl. auto.
    - destruct writes as (j & j_lt & writes).
      apply (slot_at sg ie k j); auto. apply IHd in writes; [exact writes|].
      simpl. eauto using acc_below_incr.
    - destruct writes as [writes|writes].
      + apply IH1 in writes; [|exact a_below].
        eapply slot_step; [apply step_ok_fst | exact writes].
      + apply IH2 in writes; [|exact a_below].
        eapply slot_step; [apply step_ok_snd | exact writes].
  Qed.

  Lemma copy_out_ok C D : view_fun_ok C -> acc_fun_ok (copy_out C) D.
  Proof.
    intros C_ok d P k xi rho a ie l d_D SC a_below _. unfold copy_out.
    destruct (C_ok P k xi rho SC) as [fresh _].
    destruct (C xi rho k) as [pre x]. simpl in fresh. intros writes.
    apply (wrap_writes sg _ _ _ _ _ fresh) in writes.
    apply assign_writes in writes; [rewrite <- d_D; exact writes|].
    apply (acc_below_incr k); [lia | exact a_below].
  Qed.

  Lemma by_view_ok C D :
    view_fun_ok C -> view_fun_ok (fst (by_view C)) /\ acc_fun_ok (snd (by_view C)) D.
  Proof. intros C_ok. split; [exact C_ok | apply copy_out_ok, C_ok]. Qed.

  Lemma spill_ok d A : acc_fun_ok A (ty_val d) -> view_fun_ok (spill d A).
  Proof.
    intros A_ok P k xi rho SC. simpl. split.
    - split; [|exact I]. apply (acc_fun_ok_var A d P (S k)); auto using scoped_S.
    - split; [|exact I]. simpl. intros v v_k. right. lia.
  Qed.

  Lemma view1_ok C f :
    (forall P k xi x, Forall (fun v => v < k) xi -> view_in P k x -> view_in P k (f xi x)) ->
    view_fun_ok C -> view_fun_ok (view1 C f).
  Proof.
    intros f_ok C_ok P k xi rho SC. unfold view1.
    pose proof (scoped_loops _ _ _ _ (scoped_ext P k (length (fst (C xi rho k))) xi rho SC)) as loops.
    destruct (C_ok P k xi rho SC) as [fresh x_in].
    destruct (C xi rho k) as [pre x]. simpl in *. auto.
  Qed.

  (** A view made first is still in scope after a second one. *)
  Lemma view_in_later P k n m x :
    view_in (ext P k n) (k + n) x -> view_in (ext P k (n + m)) (k + (n + m)) x.
  Proof.
    apply view_in_incr; [lia|]. intros v. apply ext_le. lia.
  Qed.

  Lemma view_in_second P k n m x :
    view_in (ext (ext P k n) (k + n) m) (k + n + m) x ->
    view_in (ext P k (n + m)) (k + (n + m)) x.
  Proof.
    apply view_in_incr; [lia|]. intros v. apply ext_ext.
  Qed.

  Lemma view2_ok C1 C2 f :
    (forall P k xi x y, Forall (fun v => v < k) xi ->
       view_in P k x -> view_in P k y -> view_in P k (f xi x y)) ->
    view_fun_ok C1 -> view_fun_ok C2 -> view_fun_ok (view2 C1 C2 f).
  Proof.
    intros f_ok C1_ok C2_ok P k xi rho SC. unfold view2.
    destruct (C1_ok P k xi rho SC) as [fresh1 in1].
    destruct (C1 xi rho k) as [pre1 x1]. simpl in fresh1, in1.
    destruct (C2_ok _ _ xi rho (scoped_ext P k (length pre1) xi rho SC)) as [fresh2 in2].
    destruct (C2 xi rho (k + length pre1)) as [pre2 x2]. simpl in *.
    rewrite app_length. split; [apply prelude_fresh_app; auto|].
    apply f_ok.
    - apply (scoped_loops _ _ _ _ (scoped_ext P k (length pre1 + length pre2) xi rho SC)).
    - apply view_in_later, in1.
    - apply view_in_second, in2.
  Qed.

  Lemma ixe_rename_below k xi e :
    Forall (fun v => v < k) xi -> ixe_below k (ixe_rename xi e).
  Proof.
    intros below. induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb];
      simpl; auto.
    destruct (nth_error xi i) as [v|] eqn:found; simpl; [|exact I].
    apply nth_error_In in found. rewrite Forall_forall in below. apply below, found.
  Qed.

  Lemma guard_rename_below k xi g :
    Forall (fun v => v < k) xi -> guard_below k (guard_rename xi g).
  Proof. intros below. induction g; simpl; auto using ixe_rename_below. Qed.

  Lemma lay_rename_below k xi l :
    Forall (fun v => v < k) xi -> lay_below k (lay_rename xi l).
  Proof. intros below. induction l; simpl; auto using ixe_rename_below. Qed.

  Lemma view_in_lay P k xi l x :
    Forall (fun v => v < k) xi -> view_in P k x -> view_in P k (ILay (lay_rename xi l) x).
  Proof. intros loops [vars below]. split; simpl; auto using lay_rename_below. Qed.

  Lemma view_in_pair P k x y : view_in P k x -> view_in P k y -> view_in P k (IPair x y).
  Proof. intros [xv xb] [yv yb]. split; simpl; [intros v [o|o]|]; auto. Qed.

  Lemma view_in_if P k xi g x y :
    Forall (fun v => v < k) xi -> view_in P k x -> view_in P k y ->
    view_in P k (IIf (guard_rename xi g) x y).
  Proof.
    intros loops [xv xb] [yv yb].
    split; simpl; [intros v [o|o]|]; auto using guard_rename_below.
  Qed.

  Lemma lower_map_ok C A kd n d2 :
    view_fun_ok C -> acc_fun_ok A (ty_val d2) ->
    acc_fun_ok (lower_map C A kd n d2) (SAry (size_val n) (ty_val d2)).
  Proof.
    intros C_ok A_ok d P k xi rho a ie l _ SC a_below root_lt. unfold lower_map.
    destruct (C_ok P k xi rho SC) as [fresh x_in].
    destruct (C xi rho k) as [pre x]. simpl in fresh, x_in. intros writes.
    apply (wrap_writes sg _ _ _ _ _ fresh) in writes. destruct writes as (j & j_lt & writes).
    assert (a_below1 : acc_below (k + length pre) a)
      by (apply (acc_below_incr k); [lia | exact a_below]).
    apply (slot_at sg ie (k + length pre) j); auto.
    refine (A_ok d2 _ _ _ _ _ _ l eq_refl
              (scoped_loop _ _ xi rho x x_in (scoped_ext P k _ xi rho SC)) _ _ writes);
      [|simpl; lia].
    simpl. split; [lia|]. apply (acc_below_incr (k + length pre)); [lia | exact a_below1].
  Qed.

  Lemma red_step_writes once A d2 v xi x rho P :
    acc_fun_ok A (ty_val d2) -> scoped P (S v) xi rho -> P v -> view_in P (S v) x ->
    writes_only v (red_step once A d2 v (S v) xi x rho).
  Proof.
    intros A_ok SC v_in x_in ie l. unfold red_step.
    assert (SC1 : scoped P (S (S v)) (S v :: xi) (view_at x (S v) :: IVar v :: rho)).
    { apply scoped_loop; [exact x_in|]. apply scoped_cons; [|exact SC].
      split; simpl; [intros w w_v; rewrite w_v; exact v_in | exact I]. }
    destruct once.
    - apply (acc_fun_ok_var A d2 P _ _ _ v A_ok SC1). lia.
    - simpl. intros [[writes|writes] other].
      + apply (acc_fun_ok_var A d2 P _ _ _ _ A_ok (scoped_S _ _ _ _ SC1)) in writes;
          [congruence | lia].
      + apply assign_writes in writes; [|exact I]. destruct writes as [same _]. exact same.
  Qed.

  Lemma lower_red_ok w once C Ai Af n d2 :
    view_fun_ok C -> acc_fun_ok Ai (ty_val d2) -> acc_fun_ok Af (ty_val d2) ->
    view_fun_ok (lower_red w once C Ai Af n d2).
  Proof.
    intros C_ok Ai_ok Af_ok P k xi rho SC. unfold lower_red.
    destruct (C_ok P k xi rho SC) as [fresh x_in].
    destruct (C xi rho k) as [pre x]. simpl in *. rewrite app_length. simpl.
    pose proof (scoped_ext P k (length pre) xi rho SC) as SC1.
    assert (SC2 : scoped (ext P k (length pre + 1)) (S (k + length pre)) xi rho).
    { apply (scoped_incr P _ k); auto; [lia | left; auto|].
      intros v v_in. apply (ext_below P k _ xi rho v SC) in v_in. lia. }
    split.
    - apply prelude_fresh_app; [exact fresh|]. split; [|exact I]. intros ie l [writes|writes].
      + refine (acc_fun_ok_var Ai d2 _ _ _ _ _ Ai_ok SC2 _ ie l writes). lia.
      + destruct writes as (j & _ & writes).
        refine (red_step_writes once Af d2 _ xi x rho _ Af_ok SC2 _ _ _ l writes).
        * right. lia.
        * apply (view_in_incr (ext P k (length pre)) _ (k + length pre)); [lia| |exact x_in].
          intros v. apply ext_le. lia.
    - split; simpl; [|exact I]. intros v v_v. right. lia.
  Qed.

  Lemma lower_red_into_ok w C Ai Af n d2 :
    view_fun_ok C -> acc_fun_ok Ai (ty_val d2) -> acc_fun_ok Af (ty_val d2) ->
    acc_fun_ok (lower_red_into w C Ai Af n d2) (ty_val d2).
  Proof.
    intros C_ok Ai_ok Af_ok d P k xi rho a ie l d_D SC a_below root_lt.
    unfold lower_red_into. destruct (C_ok P k xi rho SC) as [fresh x_in].
    destruct (C xi rho k) as [pre x]. simpl in fresh, x_in. intros writes.
    apply (wrap_writes sg _ _ _ _ _ fresh) in writes.
    set (i := k + length pre) in *.
    assert (a_below1 : acc_below i a) by (apply (acc_below_incr k); [lia | exact a_below]).
    pose proof (scoped_ext P k (length pre) xi rho SC) as SC1. fold i in SC1.
    destruct writes as [writes|(j & j_lt & writes)].
    - refine (Ai_ok d _ i xi rho a ie l d_D SC1 a_below1 _ writes). lia.
    - apply (slot_bind sg ie i j); [exact a_below1|].
      refine (Af_ok d2 _ _ _ _ a (bind ie i j) l eq_refl
                (scoped_step _ _ _ _ _ _ x_in a_below1 SC1 ltac:(lia)) _ _ writes).
      + apply (acc_below_incr i); [lia | exact a_below1].
      + lia.
  Qed.

  Lemma lower_let_view_ok C1 C2 :
    view_fun_ok C1 -> view_fun_ok C2 -> view_fun_ok (lower_let_view C1 C2).
  Proof.
    intros C1_ok C2_ok P k xi rho SC. unfold lower_let_view.
    destruct (C1_ok P k xi rho SC) as [fresh1 in1].
    destruct (C1 xi rho k) as [pre1 x1]. simpl in fresh1, in1.
    pose proof (scoped_cons _ _ _ _ _ in1 (scoped_ext P k (length pre1) xi rho SC)) as SC1.
    destruct (C2_ok _ _ xi _ SC1) as [fresh2 in2].
    destruct (C2 xi (x1 :: rho) (k + length pre1)) as [pre2 x2]. simpl in *.
    rewrite app_length. split; [apply prelude_fresh_app; auto | apply view_in_second, in2].
  Qed.

  Lemma lower_let_acc_ok C1 A2 D :
    view_fun_ok C1 -> acc_fun_ok A2 D -> acc_fun_ok (lower_let_acc C1 A2) D.
  Proof.
    intros C1_ok A2_ok d P k xi rho a ie l d_D SC a_below root_lt. unfold lower_let_acc.
    destruct (C1_ok P k xi rho SC) as [fresh1 in1].
    destruct (C1 xi rho k) as [pre1 x1]. simpl in fresh1, in1. intros writes.
    apply (wrap_writes sg _ _ _ _ _ fresh1) in writes.
    refine (A2_ok d _ _ xi _ a ie l d_D
              (scoped_cons _ _ _ _ _ in1 (scoped_ext P k _ xi rho SC)) _ _ writes).
    - apply (acc_below_incr k); [lia | exact a_below].
    - lia.
  Qed.

  Lemma lower_pair_acc_ok A1 A2 D1 D2 :
    acc_fun_ok A1 D1 -> acc_fun_ok A2 D2 -> acc_fun_ok (lower_pair_acc A1 A2) (SPair D1 D2).
  Proof.
    intros A1_ok A2_ok d P k xi rho a ie l d_D SC a_below root_lt.
    destruct d as [|n d1|d1 d2]; try discriminate. simpl in d_D. injection d_D as d_D1 d_D2.
    simpl. intros [writes|writes].
    - eapply slot_step; [apply step_ok_fst|].
      exact (A1_ok d1 P k xi rho (AStep FstStep a) ie l d_D1 SC a_below root_lt writes).
    - eapply slot_step; [apply step_ok_snd|].
      exact (A2_ok d2 P k xi rho (AStep SndStep a) ie l d_D2 SC a_below root_lt writes).
  Qed.

  Lemma lower_cat_acc_ok A1 A2 n m d0 :
    acc_fun_ok A1 (SAry (size_val n) (ty_val d0)) ->
    acc_fun_ok A2 (SAry (size_val m) (ty_val d0)) ->
    acc_fun_ok (lower_cat_acc A1 A2 n m d0) (SAry (size_val n + size_val m) (ty_val d0)).
  Proof.
    intros A1_ok A2_ok d P k xi rho a ie l _ SC a_below root_lt. simpl.
    intros [writes|writes].
    - apply slot_prefix.
      exact (A1_ok (TAry n d0) P _ _ _ _ _ _ eq_refl SC a_below root_lt writes).
    - eapply slot_step; [apply step_ok_off|].
      exact (A2_ok (TAry m d0) P k xi rho (AStep (OffStep n) a) ie l eq_refl SC a_below root_lt
               writes).
  Qed.

  Lemma ty_val_source l d : ty_val (lay_source l d) = sty_source sg l (ty_val d).
  Proof.
    revert d. induction l as [| |i| | |n m|n m| |n|w k s d|o n|n|l IHl]; intros e; simpl; auto;
      destruct e as [|k d1|d1 d2]; simpl; auto.
    - destruct d1; reflexivity.
    - destruct d1; destruct d2; reflexivity.
    - destruct d1; reflexivity.
    - destruct d1; reflexivity.
    - rewrite IHl. reflexivity.
  Qed.

  Lemma lower_lay_acc_ok l A S D :
    lay_inverse_ok sg l S D -> acc_fun_ok A S -> acc_fun_ok (lower_lay_acc l A) D.
  Proof.
    intros INV A_ok d P k xi rho a ie q d_D SC a_below root_lt writes.
    eapply slot_step; [apply (step_ok_lay sg ie l S D INV)|].
    refine (A_ok _ P k xi rho (AStep (LayStep l) a) ie q _ SC a_below root_lt writes).
    rewrite ty_val_source, d_D. apply INV.
  Qed.

  Theorem lower_writes X G e D :
    has_ty sg X G e D -> view_fun_ok (fst (lower e)) /\ acc_fun_ok (snd (lower e)) D.
  Proof.
    intros TY. induction TY as
      [X G x D _|X G d c|X G o e _ IHe|X G e1 e2 D1 D2 _ IH1 _ IH2|X G l e S D _ INV _ IHe
      |X G lo n hi c e A _ IHe|X G g e1 e2 D _ _ IH1 _ IH2|X G k n d1 d2 f e _ IHf _ IHe
      |X G w n d1 d2 f i e _ IHf _ IHi _ IHe|X G e1 e2 D1 D2 _ IH1 _ IH2|X G d e _ IHe
      |X G n m d e1 e2 _ IH1 _ IH2]; cbn [lower].
    - apply by_view_ok. intros P k xi rho SC. simpl. split; [exact I|].
      apply (view_in_incr P _ k); [lia | left; auto | apply (view_in_nth P k xi rho x SC)].
    - apply by_view_ok. intros P k xi rho SC. simpl. repeat split. intros v [].
    - apply by_view_ok, view1_ok; [|apply IHe]. intros P k xi x _ x_in. exact x_in.
    - destruct IH1 as [C1_ok A1_ok]. destruct IH2 as [C2_ok A2_ok]. simpl. split.
      + apply view2_ok; auto using view_in_pair.
      + apply lower_pair_acc_ok; assumption.
    - destruct IHe as [C_ok A_ok]. simpl.
      assert (L_ok : view_fun_ok (view1 (fst (lower e)) (fun xi => ILay (lay_rename xi l))))
        by (apply view1_ok; auto using view_in_lay).
      split; [exact L_ok|]. destruct (invertible l) eqn:inv.
      + apply (lower_lay_acc_ok l _ S D); auto.
      + apply copy_out_ok, L_ok.
    - apply by_view_ok, view1_ok; [|apply IHe]. intros P k xi x _ x_in. exact x_in.
    - apply by_view_ok, view2_ok; [|apply IH1|apply IH2]. auto using view_in_if.
    - destruct IHe as [C_ok _]. destruct IHf as [_ A_ok].
      assert (M_ok := lower_map_ok _ _ k n d2 C_ok A_ok). simpl. split; [|exact M_ok].
      apply spill_ok, M_ok.
    - destruct IHe as [C_ok _]. destruct IHf as [_ Af_ok]. destruct IHi as [_ Ai_ok].
      assert (R_ok := lower_red_ok w (in_place f) _ _ _ n d2 C_ok Ai_ok Af_ok).
      simpl. split; [exact R_ok|].
      destruct (is_into w && in_place f); [|apply copy_out_ok, R_ok].
      apply lower_red_into_ok; assumption.
    - destruct IH1 as [C1_ok _]. destruct IH2 as [C2_ok A2_ok]. simpl.
      auto using lower_let_view_ok, lower_let_acc_ok.
    - destruct IHe as [_ A_ok]. simpl. split; [apply spill_ok, A_ok | exact A_ok].
    - destruct IH1 as [_ A1_ok]. destruct IH2 as [_ A2_ok].
      assert (T_ok := lower_cat_acc_ok _ _ n m d A1_ok A2_ok). simpl. split; [|exact T_ok].
      apply spill_ok, T_ok.
  Qed.
End WRITES.
