(** Lowering is correct.

    [lower_correct]   for every well-typed term, C's view holds its value, and A fills an
                      acceptor with it even where views touch the acceptor's root, provided
                      [aligned_write] accepts
    [kernel_correct]  a lowered kernel computes its term into the output
    [kernel_frame]    and changes nothing else *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame.
From Vouch Require Import lower.Align lower.Lower lower.Scope lower.WritesProof.
From Vouch Require Import lower.TagsProof lower.RenameProof lower.ViewTagsProof.
From Vouch Require Import lower.LowerSpec lower.LoopProof lower.MapProof lower.ReduceProof.
From Vouch Require Import lower.PartsProof.
Import ListNotations.

Section LOWER.
  Context (sg : nat -> nat) (K : scalars) (junk : nat -> ty -> value K).

  Notation size_val := (size_val sg).
  Notation ty_val := (ty_val sg).
  Notation acc_path := (acc_path sg).
  Notation read := (read sg K).
  Notation exec := (exec sg K junk).
  Notation run_prelude := (run_prelude sg K junk).
  Notation eval := (eval sg K).
  Notation view_correct := (view_correct sg K junk).
  Notation acc_correct := (acc_correct sg K junk).

  Lemma typed_view_tagged X G e D :
    has_ty sg X G e D -> view_tagged sg X G (fst (lower e)) e D.
  Proof. intros TY T xi rho k ie a D0. apply (view_tags sg X G e D TY). Qed.

  Lemma is_scalar_typed X G e D : has_ty sg X G e D -> is_scalar e = true -> D = SNum.
  Proof.
    intros TY. induction TY; cbn [is_scalar]; intros scalar; try discriminate; [reflexivity|].
    apply orb_true_iff in scalar as [scalar|scalar]; auto.
  Qed.

  (** A term that only has a view: it is correct in both positions. *)
  Lemma by_view_correct X G C e D :
    has_ty sg X G e D -> fst (lower e) = C -> view_correct X G C e D ->
    view_correct X G (fst (by_view C)) e D /\
    forall T, reads_fresh T e = true -> is_aligned (view_tag T e) = true \/ D = SNum ->
      acc_correct T X G (snd (by_view C)) e D.
  Proof.
    intros TY C_eq CORRECT. split; [exact CORRECT|]. intros T fresh al.
    apply copy_out_correct; auto; rewrite <- C_eq.
    - apply (lower_writes sg X G e D TY).
    - apply typed_view_tagged, TY.
  Qed.

  Lemma var_view_correct X G x D :
    nth_error G x = Some D ->
    view_correct X G (fun _ rho _ => ([], nth x rho (ICst zero))) (EVar x) D.
  Proof.
    intros found P k xi rho vals ie s _ _ FRESH p p_in. apply (FRESH x D found p); auto.
    destruct x; reflexivity.
  Qed.

  Lemma op_view_correct X G C o e :
    view_correct X G C e (op_type o) ->
    view_correct X G (view1 C (fun _ => IOp o)) (EOp o e) SNum.
  Proof.
    intros CORRECT P k xi rho vals ie s SC bounds FRESH p _. unfold view1.
    specialize (CORRECT P k xi rho vals ie s SC bounds FRESH).
    destruct (C xi rho k) as [pre x]. simpl in *. apply apply_op_agree.
    intros q q_arg. apply CORRECT. apply op_args_inb, q_arg.
  Qed.

  Lemma lay_view_correct X G C l e S D :
    (forall iv, in_bounds iv X -> lay_ok sg (index_env iv) l S D) ->
    view_correct X G C e S ->
    view_correct X G (view1 C (fun xi => ILay (lay_rename xi l))) (ELay l e) D.
  Proof.
    intros OK CORRECT P k xi rho vals ie s SC bounds FRESH p p_in. unfold view1.
    specialize (CORRECT P k xi rho vals ie s SC bounds FRESH).
    destruct (C xi rho k) as [pre x]. simpl in *. rewrite lay_path_rename.
    apply CORRECT. apply (OK _ bounds), p_in.
  Qed.

  Lemma pad_view_correct X G C lo n m hi c e A :
    view_correct X G C e (SAry (size_val n) A) ->
    view_correct X G (view1 C (fun _ => IPad lo n c)) (EPad lo n hi c e) (SAry m A).
  Proof.
    intros CORRECT P k xi rho vals ie s SC bounds FRESH p p_in. unfold view1.
    specialize (CORRECT P k xi rho vals ie s SC bounds FRESH).
    destruct (C xi rho k) as [pre x]. simpl in *.
    destruct p as [|[i| |] q]; simpl in p_in; try tauto. simpl.
    destruct (Nat.leb_spec (size_val lo) i); simpl; [|reflexivity].
    destruct (Nat.ltb_spec i (size_val lo + size_val n)); [|reflexivity].
    apply CORRECT. simpl. split; [lia | tauto].
  Qed.

  Theorem lower_correct X G e D : has_ty sg X G e D ->
    view_correct X G (fst (lower e)) e D /\
    forall T, aligned_write T e = true -> acc_correct T X G (snd (lower e)) e D.
  Proof.
    intros TY. induction TY as
      [X G x D found|X G d c|X G o e TYe IHe|X G e1 e2 D1 D2 TY1 IH1 TY2 IH2
      |X G l e S D OK INV TYe IHe|X G lo n hi c e A TYe IHe|X G g e1 e2 D OK TY1 IH1 TY2 IH2
      |X G k n d1 d2 f e TYf IHf TYe IHe|X G w n d1 d2 f i e TYf IHf TYi IHi TYe IHe
      |X G e1 e2 D1 D2 TY1 IH1 TY2 IH2|X G d e TYe IHe|X G n m d e1 e2 TY1 IH1 TY2 IH2].
    - destruct (by_view_correct X G _ (EVar x) D (TyVar sg X G x D found) eq_refl
                  (var_view_correct X G x D found)) as [HC HA].
      split; [exact HC|]. cbn [aligned_write]. intros T ok.
      apply andb_true_iff in ok as [fresh al]. apply HA; auto.
    - destruct (by_view_correct X G _ (ECst d c) (ty_val d) (TyCst sg X G d c) eq_refl) as [HC HA].
      { intros P k xi rho vals ie s _ _ _ p _. reflexivity. }
      split; [exact HC|]. intros T fresh. apply HA; auto.
    - destruct IHe as [CORRECT _].
      destruct (by_view_correct X G _ (EOp o e) SNum (TyOp sg X G o e TYe) eq_refl
                  (op_view_correct X G _ o e CORRECT)) as [HC HA].
      split; [exact HC|]. intros T fresh. apply HA; auto.
    - destruct IH1 as [CORRECT1 ACC1]. destruct IH2 as [CORRECT2 ACC2].
      destruct (lower_writes sg X G e1 D1 TY1) as [C1_ok A1_ok].
      destruct (lower_writes sg X G e2 D2 TY2) as [C2_ok A2_ok]. split.
      + apply pair_view_correct; assumption.
      + cbn [aligned_write]. intros T ok. apply andb_true_iff in ok as [ok1 ok2].
        apply lower_pair_acc_correct; auto.
    - destruct IHe as [CORRECT ACC].
      assert (VIEW := lay_view_correct X G _ l e S D OK CORRECT).
      assert (TY := TyLay sg X G l e S D OK INV TYe). split; [exact VIEW|].
      intros T ok. pose proof (lower_writes sg X G _ D TY) as [L_ok _].
      pose proof (typed_view_tagged X G _ D TY) as TAGGED.
      cbn [lower fst snd aligned_write] in *. destruct (invertible l) eqn:inv.
      + apply (lower_lay_acc_correct sg K junk X G T l _ e S D OK); auto.
      + apply andb_true_iff in ok as [fresh al]. apply copy_out_correct; auto.
    - destruct IHe as [CORRECT _].
      destruct (by_view_correct X G _ (EPad lo n hi c e) _ (TyPad sg X G lo n hi c e A TYe)
                  eq_refl (pad_view_correct X G _ lo n _ hi c e A CORRECT)) as [HC HA].
      split; [exact HC|]. cbn [aligned_write]. intros T ok.
      apply andb_true_iff in ok as [fresh al]. apply HA; auto.
    - destruct IH1 as [CORRECT1 _]. destruct IH2 as [CORRECT2 _].
      destruct (by_view_correct X G _ (EIf g e1 e2) D (TyIf sg X G g e1 e2 D OK TY1 TY2) eq_refl)
        as [HC HA].
      { apply if_view_correct; auto.
        - apply (lower_writes sg X G e1 D TY1).
        - apply (lower_writes sg X G e2 D TY2). }
      split; [exact HC|]. cbn [aligned_write]. intros T ok.
      apply andb_true_iff in ok as [fresh al]. apply HA; [exact fresh|].
      apply orb_true_iff in al as [scalar|al]; [right | left; exact al].
      apply (is_scalar_typed X G _ _ (TyIf sg X G g e1 e2 D OK TY1 TY2) scalar).
    - destruct IHe as [CORRECT _]. destruct IHf as [_ ACC].
      destruct (lower_writes sg _ _ _ _ TYe) as [C_ok _].
      destruct (lower_writes sg _ _ _ _ TYf) as [_ A_ok].
      pose proof (typed_view_tagged _ _ _ _ TYe) as TAGGED.
      assert (MAP : forall T, aligned_write T (EMap k n d1 d2 f e) = true ->
        acc_correct T X G (lower_map (fst (lower e)) (snd (lower f)) k n d2)
          (EMap k n d1 d2 f e) (SAry (size_val n) (ty_val d2))).
      { cbn [aligned_write]. intros T ok. apply andb_true_iff in ok as [ok ok_f].
        apply andb_true_iff in ok as [fresh no]. apply lower_map_correct; auto. }
      split; [|exact MAP]. apply (spill_correct sg K junk X G _ _ (TAry n d2)).
      apply MAP, cold_write.
    - destruct IHe as [CORRECT _]. destruct IHf as [_ ACC_F]. destruct IHi as [_ ACC_I].
      destruct (lower_writes sg _ _ _ _ TYe) as [C_ok _].
      destruct (lower_writes sg _ _ _ _ TYf) as [_ Af_ok].
      destruct (lower_writes sg _ _ _ _ TYi) as [_ Ai_ok].
      pose proof (typed_view_tagged _ _ _ _ TYe) as TAGGED.
      assert (TY := TyRed sg X G w n d1 d2 f i e TYf TYi TYe).
      assert (VIEW : view_correct X G (fst (lower (ERed w n d1 d2 f i e)))
                       (ERed w n d1 d2 f i e) (ty_val d2)).
      { apply lower_red_correct; auto.
        - apply ACC_I, cold_write.
        - destruct (in_place f) eqn:once; apply ACC_F; [exact once | apply cold_write]. }
      split; [exact VIEW|]. intros T ok.
      assert (COPY : reads_fresh T (ERed w n d1 d2 f i e) && true = true ->
        acc_correct T X G (copy_out (fst (lower (ERed w n d1 d2 f i e))))
          (ERed w n d1 d2 f i e) (ty_val d2)).
      { intros fresh. rewrite andb_true_r in fresh. apply copy_out_correct; auto.
        - apply (lower_writes sg X G _ _ TY).
        - apply typed_view_tagged, TY. }
      cbn [aligned_write lower fst snd] in *. unfold in_place in *.
      destruct (is_into w && aligned_write [Cold; Aligned] f); [|exact (COPY ok)].
      apply andb_true_iff in ok as [ok ok_f]. apply andb_true_iff in ok as [ok ok_i].
      apply andb_true_iff in ok as [fresh cold].
      apply lower_red_into_correct; auto.
    - destruct IH1 as [CORRECT1 _]. destruct IH2 as [CORRECT2 ACC2].
      destruct (lower_writes sg _ _ _ _ TY1) as [C1_ok _].
      pose proof (typed_view_tagged _ _ _ _ TY1) as TAGGED. split.
      + apply (lower_let_view_correct sg K junk X G _ _ e1 e2 D1); assumption.
      + cbn [aligned_write]. intros T ok. apply andb_true_iff in ok as [fresh ok].
        apply (lower_let_acc_correct sg K junk X G T _ _ e1 e2 D1); auto.
    - destruct IHe as [_ ACC]. split.
      + apply spill_correct. exact (ACC [] (cold_write e)).
      + exact ACC.
    - destruct IH1 as [_ ACC1]. destruct IH2 as [_ ACC2].
      destruct (lower_writes sg _ _ _ _ TY1) as [_ A1_ok].
      destruct (lower_writes sg _ _ _ _ TY2) as [_ A2_ok].
      assert (CAT : forall T, aligned_write T (ECat n m d e1 e2) = true ->
        acc_correct T X G (lower_cat_acc (snd (lower e1)) (snd (lower e2)) n m d)
          (ECat n m d e1 e2) (SAry (size_val n + size_val m) (ty_val d))).
      { cbn [aligned_write]. intros T ok. apply andb_true_iff in ok as [ok1 ok2].
        apply lower_cat_acc_correct; auto. }
      split; [|exact CAT]. apply (spill_correct sg K junk X G _ _ (TAry (SAdd n m) d)).
      apply CAT, cold_write.
  Qed.

  (** Kernels: inputs are variables 0 .. r-1 of the given types, the output is variable r. *)

  Lemma inputs_scoped r : scoped (fun v => v < r) (S r) [] (inputs r).
  Proof.
    split; [lia | constructor |]. intros x x_in.
    apply in_map_iff in x_in as (v & v_x & v_in). apply in_seq in v_in.
    rewrite <- v_x. split; simpl; [intros w w_v; lia | exact I].
  Qed.

  Lemma nth_inputs r x : x < r -> nth x (inputs r) (ICst zero) = IVar x.
  Proof.
    intros x_lt. unfold inputs.
    rewrite (nth_indep _ (ICst zero) (IVar 0)) by (rewrite map_length, seq_length; exact x_lt).
    rewrite map_nth, seq_nth by exact x_lt. reflexivity.
  Qed.

  Lemma nth_values r (s : store K) x :
    x < r -> nth x (map s (seq 0 r)) (zero_value K) = s x.
  Proof.
    intros x_lt.
    rewrite (nth_indep _ (zero_value K) (s 0)) by (rewrite map_length, seq_length; exact x_lt).
    rewrite map_nth, seq_nth by exact x_lt. reflexivity.
  Qed.

  Lemma inputs_fresh T ie s G :
    env_fresh sg K T ie s G (inputs (length G)) (map s (seq 0 (length G))).
  Proof.
    intros x D found p _ _.
    assert (x_lt : x < length G) by (apply nth_error_Some; congruence).
    rewrite nth_inputs, nth_values by exact x_lt. reflexivity.
  Qed.

  Theorem kernel_correct G e d ie s p :
    has_ty sg [] G e (ty_val d) -> inb (ty_val d) p ->
    exec (kernel (length G) e d) ie s (length G) p =
    eval [] (map s (seq 0 (length G))) e p.
  Proof.
    intros TY p_in. destruct (lower_correct [] G e _ TY) as [_ ACC].
    refine (ACC [] (cold_write e) d _ _ [] (inputs (length G)) _ ie s (AVar (length G)) eq_refl
              (inputs_scoped _) (Forall2_nil _) (inputs_fresh [] ie s G) _ I (le_n _)
              (acc_inj_var sg ie _ _) p p_in).
    apply (hot_apart sg _ _ [] _ _ _ _ _ (inputs_scoped _)). simpl. lia.
  Qed.

  Theorem kernel_frame G e d ie s v p :
    has_ty sg [] G e (ty_val d) -> ~ (v = length G /\ inb (ty_val d) p) ->
    exec (kernel (length G) e d) ie s v p = s v p.
  Proof.
    intros TY other. apply exec_frame. intros writes. apply other.
    destruct (lower_writes sg [] G e _ TY) as [_ A_ok].
    destruct (A_ok d _ _ [] (inputs (length G)) (AVar (length G)) ie _ eq_refl
                (inputs_scoped _) I (le_n _) writes) as [same (q & q_in & path_q)].
    simpl in *. rewrite path_q. auto.
  Qed.
End LOWER.
