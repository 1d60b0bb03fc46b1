(** A lowered term reads its environment where that is fresh, its own temporaries, and what it
    has written itself.

    [lower_reads]   for every well-typed term that reads what is fresh only *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame.
From Vouch Require Import lower.Align lower.Lower lower.Scope lower.WritesProof.
From Vouch Require Import lower.TagsProof lower.RenameProof lower.ReadsSpec.
Import ListNotations.

Section READS.
  Context (sg : nat -> nat).

  Notation size_val := (size_val sg).
  Notation ty_val := (ty_val sg).
  Notation comm_reads := (comm_reads sg).
  Notation view_reads := (view_reads sg).
  Notation slot := (slot sg).
  Notation good_read := (good_read sg).
  Notation view_reads_ok := (view_reads_ok sg).
  Notation acc_reads_ok := (acc_reads_ok sg).

  Lemma lower_map_reads T t U X G C A kd n d1 d2 :
    view_fun_ok sg C -> view_reads_ok T X G C (SAry (size_val n) (ty_val d1)) ->
    acc_reads_ok (cons_tag t U) (size_val n :: X) (ty_val d1 :: G) A (ty_val d2) ->
    (forall ie rho l, good_read U G ie rho l -> good_read T G ie rho l) ->
    acc_reads_ok T X G (lower_map C A kd n d2) (SAry (size_val n) (ty_val d2)).
  Proof.
    intros C_ok READS_C READS_A sub d P k xi rho a ie l _ SC bounds a_below root_lt.
    unfold lower_map. destruct (READS_C P k xi rho ie SC bounds) as [pre_reads x_reads].
    destruct (C_ok P k xi rho SC) as [_ x_in].
    destruct (C xi rho k) as [pre x]. simpl fst in *. simpl snd in *. intros reads.
    destruct (wrap_reads sg _ _ _ _ _ _ pre_reads reads) as [env|[body not_temp]]; [auto|].
    destruct body as (j & j_lt & body). set (i := k + length pre) in *.
    assert (a_below1 : acc_below i a) by (apply (acc_below_incr k); [lia | exact a_below]).
    pose proof (scoped_ext P k (length pre) xi rho SC) as SC1. fold i in SC1.
    assert (elem_below : acc_below (S i) (acc_at a i))
      by (simpl; split; [lia | apply (acc_below_incr i); [lia | exact a_below1]]).
    assert (elem_root : root (acc_at a i) < S i) by (simpl; lia).
    destruct (READS_A d2 _ (S i) _ _ (acc_at a i) (bind ie i j) l eq_refl
                (scoped_loop _ _ xi rho x x_in SC1)
                (in_bounds_loop ie i j _ xi X (scoped_loops _ _ _ _ SC1) j_lt bounds)
                elem_below elem_root body) as [written|env].
    - left. apply (slot_at sg ie i j); assumption.
    - right. apply good_read_cons in env as [(q & q_in & _ & inner)|env].
      + rewrite view_at_reads in inner by apply x_in.
        destruct (x_reads (Ix j :: q) l) as [temp|env]; [simpl; auto | exact inner | | exact env].
        tauto.
      + apply sub, (good_read_bind sg _ i xi) with (j := j) (1 := SC1). exact env.
  Qed.

  (** The loop of a reduction, over the elements of x, accumulating in a, which y reads. *)
  Lemma fold_reads T t u U X G A n d1 d2 P i xi rho a x y ie j l :
    scoped P i xi rho -> view_in P i x -> in_bounds (map ie xi) X -> j < size_val n ->
    acc_below i a -> root a < i ->
    (forall ie1 p, view_reads ie1 y p = [(root a, acc_path sg ie1 a p)]) ->
    scoped (fun v => P v \/ v = root a) (S i) (i :: xi) (view_at x i :: y :: rho) ->
    acc_reads_ok (cons_tag t (cons_tag u U)) (size_val n :: X) (ty_val d1 :: ty_val d2 :: G)
      A (ty_val d2) ->
    (forall ie rho l, good_read U G ie rho l -> good_read T G ie rho l) ->
    comm_reads (A d2 (i :: xi) (view_at x i :: y :: rho) (S i) a) (bind ie i j) l ->
    slot ie a (ty_val d2) l \/ good_read T G ie rho l \/
    exists q, inb (ty_val d1) q /\ In l (view_reads ie x (Ix j :: q)).
  Proof.
    intros SC x_in bounds j_lt a_below root_lt y_reads SC_STEP READS sub reads.
    destruct (READS d2 _ (S i) _ _ a (bind ie i j) l eq_refl SC_STEP
                (in_bounds_loop ie i j _ xi X (scoped_loops _ _ _ _ SC) j_lt bounds)
                (acc_below_incr i (S i) a (le_S _ _ (le_n i)) a_below)
                (Nat.lt_lt_succ_r _ _ root_lt) reads) as [written|env].
    - left. apply (slot_bind sg ie i j a); assumption.
    - apply good_read_cons in env as [(q & q_in & _ & inner)|env].
      + rewrite view_at_reads in inner by apply x_in. eauto.
      + apply good_read_cons in env as [(q & q_in & _ & inner)|env].
        * left. rewrite y_reads in inner. destruct inner as [same|[]]. rewrite <- same.
          split; [reflexivity|]. exists q. split; [exact q_in|].
          apply (acc_path_bind sg ie i i j a q a_below (le_n i)).
        * right. left. apply sub, (good_read_bind sg P i xi) with (j := j) (1 := SC). exact env.
  Qed.

  Lemma lower_red_reads T X G w once C Ai Af n d1 d2 :
    view_fun_ok sg C -> view_reads_ok T X G C (SAry (size_val n) (ty_val d1)) ->
    acc_reads_ok T X G Ai (ty_val d2) ->
    acc_reads_ok (cons_tag Cold (cons_tag Cold T)) (size_val n :: X)
      (ty_val d1 :: ty_val d2 :: G) Af (ty_val d2) ->
    view_reads_ok T X G (lower_red w once C Ai Af n d2) (ty_val d2).
  Proof.
    intros C_ok READS_C READS_I READS_F P k xi rho ie SC bounds. unfold lower_red.
    destruct (READS_C P k xi rho ie SC bounds) as [pre_reads x_reads].
    destruct (C_ok P k xi rho SC) as [_ x_in].
    destruct (C xi rho k) as [pre x]. simpl fst in *. simpl snd in *.
    set (v := k + length pre) in *. rewrite app_length. simpl length.
    pose proof (scoped_ext P k (length pre) xi rho SC) as SC1. fold v in SC1.
    split; [apply prelude_reads_app; [exact pre_reads|]; split; [|exact I]|].
    - intros l [reads|(j & j_lt & reads)].
      + destruct (READS_I d2 _ (S v) xi rho (AVar v) ie l eq_refl (scoped_S _ _ _ _ SC1) bounds I
                    (le_n _) reads) as [[same _]|env]; [auto | left; right; exact env].
      + set (Q := ext P k (length pre)) in *.
        assert (vars : forall u, Q u \/ u = v -> u < S v).
        { intros u [u_in|u_v]; [apply (scoped_vars _ _ _ _ SC1) in u_in|]; lia. }
        assert (x_in1 : view_in Q (S v) x) by (apply (view_in_incr Q _ v); auto).
        assert (SC_STEP : scoped (fun u => Q u \/ u = v) (S (S v)) (S v :: xi)
                            (view_at x (S v) :: IVar v :: rho)).
        { apply scoped_loop; [apply (view_in_incr Q _ v); auto|].
          apply scoped_cons; [split; simpl; auto | apply (scoped_incr Q _ v); auto]. }
        assert (env_or : good_read T G ie rho l \/
                  (exists q, inb (ty_val d1) q /\ In l (view_reads ie x (Ix j :: q))) ->
                  temp_or k (length pre) (good_read T G ie rho) l \/ fst l = v).
        { intros [env|(q & q_in & inner)]; left; [right; exact env|].
          apply (x_reads (Ix j :: q)); simpl; auto. }
        unfold red_step in reads. destruct once.
        * destruct (fold_reads T Cold Cold T X G Af n d1 d2 Q (S v) xi rho (AVar v) x (IVar v)
                      ie j l (scoped_S _ _ _ _ SC1) x_in1 bounds j_lt I (le_n _)
                      (fun _ _ => eq_refl) SC_STEP READS_F (fun _ _ _ env => env) reads)
            as [[same _]|env]; auto.
        * destruct reads as [[reads|reads] other].
          { destruct (READS_F d2 _ (S (S (S v))) _ _ (AVar (S (S v))) (bind ie (S v) j) l eq_refl
                        (scoped_S _ _ _ _ SC_STEP)
                        (in_bounds_loop ie (S v) j _ xi X
                           (scoped_loops _ _ _ _ (scoped_S _ _ _ _ SC1)) j_lt bounds)
                        I (le_n _) reads) as [[same _]|env]; [simpl in same; congruence|].
            apply good_read_cons in env as [(q & q_in & _ & inner)|env].
            { rewrite view_at_reads in inner by apply x_in1. eauto. }
            apply good_read_cons in env as [(q & q_in & _ & [same|[]])|env].
            { right. rewrite <- same. reflexivity. }
            apply env_or. left.
            apply (good_read_bind sg Q (S v) xi) with (j := j) in env; [exact env|].
            apply scoped_S, SC1. }
          { apply assign_reads in reads as (p & _ & [same|[]]); [|exact I].
            rewrite <- same in other. simpl in other. congruence. }
    - intros p l _ [same|[]]. rewrite <- same. left. unfold v. simpl. lia.
  Qed.

  Lemma lower_red_into_reads T U t u X G w C Ai Af n d1 d2 :
    view_fun_ok sg C -> view_reads_ok T X G C (SAry (size_val n) (ty_val d1)) ->
    acc_reads_ok T X G Ai (ty_val d2) ->
    acc_reads_ok (cons_tag t (cons_tag u U)) (size_val n :: X)
      (ty_val d1 :: ty_val d2 :: G) Af (ty_val d2) ->
    (forall ie rho l, good_read U G ie rho l -> good_read T G ie rho l) ->
    acc_reads_ok T X G (lower_red_into w C Ai Af n d2) (ty_val d2).
  Proof.
    intros C_ok READS_C READS_I READS_F sub d P k xi rho a ie l d_D SC bounds a_below root_lt.
    unfold lower_red_into. destruct (READS_C P k xi rho ie SC bounds) as [pre_reads x_reads].
    destruct (C_ok P k xi rho SC) as [_ x_in].
    destruct (C xi rho k) as [pre x]. simpl fst in *. simpl snd in *. intros reads.
    destruct (wrap_reads sg _ _ _ _ _ _ pre_reads reads) as [env|[body not_temp]]; [auto|].
    set (v := k + length pre) in *.
    pose proof (scoped_ext P k (length pre) xi rho SC) as SC1. fold v in SC1.
    assert (a_below1 : acc_below v a) by (apply (acc_below_incr k); [lia | exact a_below]).
    assert (root_lt1 : root a < v) by lia. destruct body as [body|(j & j_lt & body)].
    - exact (READS_I d _ v xi rho a ie l d_D SC1 bounds a_below1 root_lt1 body).
    - destruct (fold_reads T t u U X G Af n d1 d2 _ v xi rho a x (IAcc a) ie j l SC1 x_in bounds
                  j_lt a_below1 root_lt1 (fun _ _ => eq_refl)
                  (scoped_step _ _ _ _ x a x_in a_below1 SC1 root_lt1) READS_F sub body)
        as [written|[env|(q & q_in & inner)]]; auto.
      destruct (x_reads (Ix j :: q) l) as [temp|env]; simpl; auto. tauto.
  Qed.

  Lemma lower_let_view_reads T X G C1 C2 D1 D2 :
    view_fun_ok sg C1 -> view_reads_ok T X G C1 D1 ->
    view_reads_ok (cons_tag Cold T) X (D1 :: G) C2 D2 ->
    view_reads_ok T X G (lower_let_view C1 C2) D2.
  Proof.
    intros C1_ok READS1 READS2 P k xi rho ie SC bounds. unfold lower_let_view.
    destruct (READS1 P k xi rho ie SC bounds) as [pre1_reads x1_reads].
    destruct (C1_ok P k xi rho SC) as [_ in1].
    destruct (C1 xi rho k) as [pre1 x1]. simpl in pre1_reads, x1_reads, in1.
    destruct (READS2 _ _ xi (x1 :: rho) ie
                (scoped_cons _ _ _ _ _ in1 (scoped_ext P k (length pre1) xi rho SC)) bounds)
      as [pre2_reads x2_reads].
    destruct (C2 xi (x1 :: rho) (k + length pre1)) as [pre2 x2]. simpl in *.
    assert (env_or : forall l, good_read (cons_tag Cold T) (D1 :: G) ie (x1 :: rho) l ->
              temp_or k (length pre1) (good_read T G ie rho) l).
    { intros l env. apply good_read_cons in env as [(q & q_in & _ & inner)|env].
      - exact (x1_reads q l q_in inner).
      - right. exact env. }
    split.
    - apply prelude_reads_app; [exact pre1_reads|].
      apply (prelude_reads_incr sg _ _ _ _ _ env_or pre2_reads).
    - intros p l p_in reads. rewrite app_length. apply temp_or_app.
      destruct (x2_reads p l p_in reads) as [temp|env]; [left; exact temp | right; auto].
  Qed.

  Lemma lower_let_acc_reads T t X G C1 A2 D1 D2 :
    view_fun_ok sg C1 -> view_reads_ok T X G C1 D1 ->
    acc_reads_ok (cons_tag t T) X (D1 :: G) A2 D2 ->
    acc_reads_ok T X G (lower_let_acc C1 A2) D2.
  Proof.
    intros C1_ok READS1 READS2 d P k xi rho a ie l d_D SC bounds a_below root_lt.
    unfold lower_let_acc. destruct (READS1 P k xi rho ie SC bounds) as [pre1_reads x1_reads].
    destruct (C1_ok P k xi rho SC) as [_ in1].
    destruct (C1 xi rho k) as [pre1 x1]. simpl in pre1_reads, x1_reads, in1. intros reads.
    destruct (wrap_reads sg _ _ _ _ _ _ pre1_reads reads) as [env|[body not_temp]]; [auto|].
    assert (a_below1 : acc_below (k + length pre1) a)
      by (apply (acc_below_incr k); [lia | exact a_below]).
    assert (root_lt1 : root a < k + length pre1) by lia.
    destruct (READS2 d _ _ xi (x1 :: rho) a ie l d_D
                (scoped_cons _ _ _ _ _ in1 (scoped_ext P k (length pre1) xi rho SC)) bounds
                a_below1 root_lt1 body) as [written|env]; [auto|].
    apply good_read_cons in env as [(q & q_in & _ & inner)|env]; [|auto].
    destruct (x1_reads q l q_in inner) as [temp|env]; [tauto | auto].
  Qed.

  Lemma lower_pair_acc_reads T U X G A1 A2 D1 D2 :
    acc_reads_ok U X G A1 D1 -> acc_reads_ok U X G A2 D2 ->
    (forall ie rho l, good_read U G ie rho l -> good_read T G ie rho l) ->
    acc_reads_ok T X G (lower_pair_acc A1 A2) (SPair D1 D2).
  Proof.
    intros READS1 READS2 sub d P k xi rho a ie l d_D SC bounds a_below root_lt.
    destruct d as [|n d1|d1 d2]; try discriminate. simpl in d_D. injection d_D as d_D1 d_D2.
    intros [reads|reads].
    - destruct (READS1 d1 P k xi rho (AStep FstStep a) ie l d_D1 SC bounds a_below root_lt reads)
        as [written|env]; [|auto].
      left. eapply slot_step; [apply step_ok_fst | exact written].
    - destruct (READS2 d2 P k xi rho (AStep SndStep a) ie l d_D2 SC bounds a_below root_lt reads)
        as [written|env]; [|auto].
      left. eapply slot_step; [apply step_ok_snd | exact written].
  Qed.

  Lemma lower_cat_acc_reads T U X G A1 A2 n m d0 :
    acc_reads_ok U X G A1 (SAry (size_val n) (ty_val d0)) ->
    acc_reads_ok U X G A2 (SAry (size_val m) (ty_val d0)) ->
    (forall ie rho l, good_read U G ie rho l -> good_read T G ie rho l) ->
    acc_reads_ok T X G (lower_cat_acc A1 A2 n m d0) (SAry (size_val n + size_val m) (ty_val d0)).
  Proof.
    intros READS1 READS2 sub d P k xi rho a ie l _ SC bounds a_below root_lt [reads|reads].
    - destruct (READS1 (TAry n d0) P k xi rho a ie l eq_refl SC bounds a_below root_lt reads)
        as [written|env]; [left; apply slot_prefix, written | auto].
    - destruct (READS2 (TAry m d0) P k xi rho (AStep (OffStep n) a) ie l eq_refl SC bounds a_below
                  root_lt reads) as [written|env]; [|auto].
      left. eapply slot_step; [apply step_ok_off | exact written].
  Qed.

  Lemma lower_lay_acc_reads T U X G l A S D :
    lay_inverse_ok sg l S D -> acc_reads_ok U X G A S ->
    (forall ie rho q, good_read U G ie rho q -> good_read T G ie rho q) ->
    acc_reads_ok T X G (lower_lay_acc l A) D.
  Proof.
    intros INV READS sub d P k xi rho a ie q d_D SC bounds a_below root_lt reads.
    assert (source : ty_val (lay_source l d) = S)
      by (rewrite ty_val_source, d_D; apply INV).
    destruct (READS _ P k xi rho (AStep (LayStep l) a) ie q source SC bounds a_below root_lt reads)
      as [written|env]; [|auto].
    left. eapply slot_step; [apply (step_ok_lay sg ie l S D INV) | exact written].
  Qed.

  (** A variable or halves of it reads the variable where that part is fresh. *)
  Lemma part_reads X G e D : has_ty sg X G e D -> is_part e = true ->
    forall T xi rho k ie p l, in_bounds (map ie xi) X ->
      good (view_tag T e) p = true -> inb D p ->
      fst (fst (lower e) xi rho k) = [] /\
      (In l (view_reads ie (snd (fst (lower e) xi rho k)) p) -> good_read T G ie rho l).
  Proof.
    intros TY. induction TY as [X G x D found|X G d c|X G o e TYe IHe|X G e1 e2 D1 D2 TY1 IH1 TY2 IH2
      |X G l e S D OK INV TYe IHe|X G lo n hi c e A TYe IHe|X G g e1 e2 D OK TY1 IH1 TY2 IH2
      |X G k n d1 d2 f e TYf IHf TYe IHe|X G w n d1 d2 f i e TYf IHf TYi IHi TYe IHe
      |X G e1 e2 D1 D2 TY1 IH1 TY2 IH2|X G d e TYe IHe|X G n m d e1 e2 TY1 IH1 TY2 IH2];
      cbn [is_part]; intros part; try discriminate; intros T xi rho k ie p q bounds is_good p_in.
    - split; [reflexivity|]. intros reads. exists x, D, p. auto.
    - assert (inner : is_part e = true) by (destruct l; auto; discriminate).
      assert (is_half : (l = LFst \/ l = LSnd)) by (destruct l; auto; discriminate).
      assert (good_inner : good (view_tag T e) (lay_path sg ie (lay_rename xi l) p) = true).
      { cbn [view_tag] in is_good. destruct is_half as [half|half]; rewrite half in *;
          destruct (view_tag T e); simpl in *; auto; discriminate. }
      assert (q_in : inb S (lay_path sg ie (lay_rename xi l) p))
        by (apply (lay_ok_rename sg ie xi l S D (OK _ bounds)), p_in).
      destruct (IHe inner T xi rho k ie _ q bounds good_inner q_in) as [no_pre reads].
      cbn [lower fst]. unfold view1. destruct (fst (lower e) xi rho k) as [pre x].
      simpl in *. auto.
  Qed.

  Lemma part_reads_ok X G e D T :
    has_ty sg X G e D -> is_part e && no_any (view_tag T e) = true ->
    view_reads_ok T X G (fst (lower e)) D.
  Proof.
    intros TY part P k xi rho ie SC bounds. apply andb_true_iff in part as [part no].
    assert (no_pre : fst (fst (lower e) xi rho k) = []).
    { clear TY no SC bounds.
      induction e as [x|d0 c|o e _|e1 _ e2 _|l e IHe|lo n hi c e _|g e1 _ e2 _
        |kd n d1 d2 f _ e _|w n d1 d2 f _ i _ e _|e1 _ e2 _|d0 e _|n m d0 e1 _ e2 _];
        try discriminate part; [reflexivity|].
      assert (inner : is_part e = true) by (destruct l; auto; discriminate).
      specialize (IHe inner). cbn [lower fst]. unfold view1.
      destruct (fst (lower e) xi rho k) as [pre x]. exact IHe. }
    rewrite no_pre. split; [exact I|]. intros p l p_in reads. right.
    apply (part_reads X G e D TY part T xi rho k ie p l bounds); auto using no_any_good.
  Qed.

  Definition reads_ok (X : list nat) (G : list sty) (e : exp) (D : sty) : Prop :=
    (forall T, reads_fresh T e = true -> view_reads_ok T X G (fst (lower e)) D) /\
    (forall T, reads_fresh T e = true \/ aligned_write T e = true ->
       acc_reads_ok T X G (snd (lower e)) D).

  (** A term that A copies out of its view. *)
  Lemma by_view_reads X G C e D :
    view_fun_ok sg C ->
    (forall T, reads_fresh T e = true -> view_reads_ok T X G C D) ->
    (forall T, aligned_write T e = true -> reads_fresh T e = true) ->
    (forall T, reads_fresh T e = true -> view_reads_ok T X G C D) /\
    (forall T, reads_fresh T e = true \/ aligned_write T e = true ->
       acc_reads_ok T X G (copy_out C) D).
  Proof.
    intros C_ok READS only. split; [exact READS|]. intros T ok.
    apply copy_out_reads; [exact C_ok|]. apply READS. destruct ok; auto.
  Qed.

  Lemma andb_left a b : a && b = true -> a = true.
  Proof. intros both. apply andb_true_iff in both. tauto. Qed.

  Theorem lower_reads X G e D : has_ty sg X G e D -> reads_ok X G e D.
  Proof.
    intros TY. induction TY as
      [X G x D found|X G d c|X G o e TYe IHe|X G e1 e2 D1 D2 TY1 IH1 TY2 IH2
      |X G l e S D OK INV TYe IHe|X G lo n hi c e A TYe IHe|X G g e1 e2 D OK TY1 IH1 TY2 IH2
      |X G k n d1 d2 f e TYf IHf TYe IHe|X G w n d1 d2 f i e TYf IHf TYi IHi TYe IHe
      |X G e1 e2 D1 D2 TY1 IH1 TY2 IH2|X G d e TYe IHe|X G n m d e1 e2 TY1 IH1 TY2 IH2];
      unfold reads_ok.
    - pose proof (lower_writes sg X G _ _ (TyVar sg X G x D found)) as [C_ok _].
      apply (by_view_reads X G _ (EVar x) D C_ok); [|intros T; apply andb_left].
      intros T fresh. apply (part_reads_ok X G (EVar x) D T (TyVar sg X G x D found)).
      cbn [reads_fresh is_part view_tag] in *. rewrite orb_diag in fresh. exact fresh.
    - pose proof (lower_writes sg X G _ _ (TyCst sg X G d c)) as [C_ok _].
      apply (by_view_reads X G _ (ECst d c) (ty_val d) C_ok); [|auto].
      intros T _ P k xi rho ie _ _. split; [exact I|]. intros p l _ [].
    - pose proof (lower_writes sg X G _ _ (TyOp sg X G o e TYe)) as [C_ok _].
      apply (by_view_reads X G _ (EOp o e) SNum C_ok); [|auto]. intros T fresh.
      apply (view1_reads sg T X G _ _ (op_type o)); [apply IHe, fresh|].
      intros ie xi x p l _ _. apply op_reads.
    - destruct IH1 as [VIEW1 ACC1]. destruct IH2 as [VIEW2 ACC2].
      pose proof (lower_writes sg X G _ _ TY1) as [C1_ok _]. split.
      + intros T fresh. cbn [reads_fresh is_part andb orb] in fresh.
        apply andb_true_iff in fresh as [fresh1 fresh2].
        apply (view2_reads sg T X G _ _ _ D1 D2); auto.
        intros ie xi x y p l. apply pair_reads.
      + intros T [fresh|ok].
        * cbn [reads_fresh is_part andb orb] in fresh.
          apply andb_true_iff in fresh as [fresh1 fresh2].
          apply (lower_pair_acc_reads T T); auto.
        * cbn [aligned_write] in ok. apply andb_true_iff in ok as [ok1 ok2].
          apply (lower_pair_acc_reads T (map lowered T)); auto using good_read_lowered.
    - destruct IHe as [VIEW ACC]. assert (TY := TyLay sg X G l e S D OK INV TYe).
      pose proof (lower_writes sg X G _ _ TY) as [C_ok _].
      assert (READS : forall T, reads_fresh T (ELay l e) = true ->
                view_reads_ok T X G (fst (lower (ELay l e))) D).
      { intros T fresh. cbn [reads_fresh] in fresh.
        apply orb_true_iff in fresh as [part|fresh]; [exact (part_reads_ok X G _ D T TY part)|].
        apply (view1_reads sg T X G _ _ S); [apply VIEW, fresh|].
        intros ie xi x p q bounds p_in reads. exists (lay_path sg ie (lay_rename xi l) p).
        split; [|exact reads]. apply (lay_ok_rename sg ie xi l S D (OK _ bounds)), p_in. }
      split; [exact READS|]. intros T ok. cbn [lower snd]. destruct (invertible l) eqn:inv.
      + destruct ok as [fresh|ok].
        * apply (lower_lay_acc_reads T T X G l _ S D); auto. apply ACC. left.
          cbn [reads_fresh] in fresh. apply orb_true_iff in fresh as [part|fresh]; [|exact fresh].
          destruct l; discriminate.
        * cbn [aligned_write] in ok. rewrite inv in ok.
          apply (lower_lay_acc_reads T (map lowered T) X G l _ S D);
            auto using good_read_lowered.
      + apply copy_out_reads; [exact C_ok|]. apply READS. destruct ok as [fresh|ok]; [auto|].
        cbn [aligned_write] in ok. rewrite inv in ok. exact (andb_left _ _ ok).
    - pose proof (lower_writes sg X G _ _ (TyPad sg X G lo n hi c e A TYe)) as [C_ok _].
      apply (by_view_reads X G _ (EPad lo n hi c e) _ C_ok); [|intros T; apply andb_left].
      intros T fresh. apply (view1_reads sg T X G _ _ (SAry (size_val n) A)).
      + apply IHe, fresh.
      + intros ie xi x p l _. apply pad_reads.
    - pose proof (lower_writes sg X G _ _ (TyIf sg X G g e1 e2 D OK TY1 TY2)) as [C_ok _].
      pose proof (lower_writes sg X G _ _ TY1) as [C1_ok _].
      apply (by_view_reads X G _ (EIf g e1 e2) _ C_ok); [|intros T; apply andb_left].
      intros T fresh. cbn [reads_fresh is_part andb orb] in fresh.
      apply andb_true_iff in fresh as [fresh1 fresh2].
      apply (view2_reads sg T X G _ _ _ D D); [apply IH1, fresh1 | apply IH2, fresh2 | auto |].
      intros ie xi x y p l. apply if_reads.
    - destruct IHe as [VIEW _]. destruct IHf as [_ ACC].
      pose proof (lower_writes sg _ _ _ _ TYe) as [C_ok _].
      assert (MAP : forall T, reads_fresh T (EMap k n d1 d2 f e) = true \/
                aligned_write T (EMap k n d1 d2 f e) = true ->
                acc_reads_ok T X G (lower_map (fst (lower e)) (snd (lower f)) k n d2)
                  (SAry (size_val n) (ty_val d2))).
      { intros T [fresh|ok].
        - cbn [reads_fresh is_part andb orb] in fresh.
          apply andb_true_iff in fresh as [fresh_f fresh_e].
          apply (lower_map_reads T Cold T X G _ _ k n d1 d2); auto.
        - cbn [aligned_write] in ok. apply andb_true_iff in ok as [ok ok_f].
          apply andb_true_iff in ok as [fresh_e _].
          apply (lower_map_reads T (unrow (view_tag T e)) (map lowered T) X G _ _ k n d1 d2);
            auto using good_read_lowered. }
      split; [|exact MAP]. intros T fresh.
      apply (spill_reads sg T X G _ (TAry n d2)), MAP. left. exact fresh.
    - destruct IHe as [VIEW _]. destruct IHf as [_ ACC_F]. destruct IHi as [_ ACC_I].
      pose proof (lower_writes sg _ _ _ _ TYe) as [C_ok _].
      pose proof (lower_writes sg _ _ _ _ (TyRed sg X G w n d1 d2 f i e TYf TYi TYe)) as [R_ok _].
      assert (READS : forall T, reads_fresh T (ERed w n d1 d2 f i e) = true ->
                view_reads_ok T X G (fst (lower (ERed w n d1 d2 f i e))) (ty_val d2)).
      { intros T fresh. cbn [reads_fresh is_part andb orb] in fresh.
        apply andb_true_iff in fresh as [fresh fresh_e].
        apply andb_true_iff in fresh as [fresh_f fresh_i].
        apply (lower_red_reads T X G _ _ _ _ _ n d1 d2); auto. }
      split; [exact READS|]. intros T ok.
      assert (COPY : reads_fresh T (ERed w n d1 d2 f i e) = true ->
                acc_reads_ok T X G (copy_out (fst (lower (ERed w n d1 d2 f i e)))) (ty_val d2))
        by (intros fresh; apply copy_out_reads; auto).
      cbn [lower snd fst]. cbn [lower fst] in COPY.
      destruct ok as [fresh|ok].
      + destruct (is_into w && in_place f); [|exact (COPY fresh)].
        cbn [reads_fresh is_part andb orb] in fresh.
        apply andb_true_iff in fresh as [fresh fresh_e].
        apply andb_true_iff in fresh as [fresh_f fresh_i].
        apply (lower_red_into_reads T T Cold Cold X G _ _ _ _ n d1 d2); auto.
      + cbn [aligned_write] in ok. unfold in_place in *.
        destruct (is_into w && aligned_write [Cold; Aligned] f); [|exact (COPY (andb_left _ _ ok))].
        apply andb_true_iff in ok as [ok ok_f]. apply andb_true_iff in ok as [ok ok_i].
        apply (lower_red_into_reads T (map lowered T) Cold Aligned X G _ _ _ _ n d1 d2);
          eauto using good_read_lowered, andb_left.
    - destruct IH1 as [VIEW1 _]. destruct IH2 as [VIEW2 ACC2].
      pose proof (lower_writes sg X G _ _ TY1) as [C1_ok _]. split.
      + intros T fresh. cbn [reads_fresh is_part andb orb] in fresh.
        apply andb_true_iff in fresh as [fresh1 fresh2].
        apply (lower_let_view_reads T X G _ _ D1); auto.
      + intros T [fresh|ok].
        * cbn [reads_fresh is_part andb orb] in fresh.
          apply andb_true_iff in fresh as [fresh1 fresh2].
          apply (lower_let_acc_reads T Cold X G _ _ D1); auto.
        * cbn [aligned_write] in ok. apply andb_true_iff in ok as [fresh1 ok].
          apply (lower_let_acc_reads T (view_tag T e1) X G _ _ D1); auto.
    - destruct IHe as [_ ACC]. split.
      + intros T fresh. apply spill_reads, ACC. left. exact fresh.
      + intros T ok. apply ACC. destruct ok as [fresh|ok]; [left; exact fresh | right; exact ok].
    - destruct IH1 as [_ ACC1]. destruct IH2 as [_ ACC2].
      assert (CAT : forall T, reads_fresh T (ECat n m d e1 e2) = true \/
                aligned_write T (ECat n m d e1 e2) = true ->
                acc_reads_ok T X G (lower_cat_acc (snd (lower e1)) (snd (lower e2)) n m d)
                  (SAry (size_val n + size_val m) (ty_val d))).
      { intros T [fresh|ok].
        - cbn [reads_fresh is_part andb orb] in fresh.
          apply andb_true_iff in fresh as [fresh1 fresh2].
          apply (lower_cat_acc_reads T T); auto.
        - cbn [aligned_write] in ok. apply andb_true_iff in ok as [ok1 ok2].
          apply (lower_cat_acc_reads T (map lowered T)); auto using good_read_lowered. }
      split; [|exact CAT]. intros T fresh.
      apply (spill_reads sg T X G _ (TAry (SAdd n m) d)), CAT. left. exact fresh.
  Qed.
End READS.
