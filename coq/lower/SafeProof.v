(** Lowered terms are safe.

    [lower_safe]    commands of a lowered term stay in bounds, evaluate safe index terms only,
                    and run concurrently only what is independent
    [kernel_types]  the types of the variables of a kernel
    [kernel_safe]   a lowered kernel is safe *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame imp.Safety.
From Vouch Require Import lower.Align lower.Lower lower.Scope lower.WritesProof.
From Vouch Require Import lower.TagsProof lower.RenameProof lower.ViewTagsProof.
From Vouch Require Import lower.LowerSpec lower.MapProof lower.LowerProof.
From Vouch Require Import lower.ReadsSpec lower.ReadsProof lower.SafeSpec lower.SafeRules.
Import ListNotations.

Section SAFE.
  Context (sg : nat -> nat).

  Notation size_val := (size_val sg).
  Notation ty_val := (ty_val sg).
  Notation view_ok := (view_ok sg).
  Notation view_fun_safe := (view_fun_safe sg).
  Notation acc_fun_safe := (acc_fun_safe sg).

  Lemma op_view_ok g ie o x : view_ok g ie x (op_type o) -> view_ok g ie (IOp o x) SNum.
  Proof. intros OK p _ q q_arg. apply OK, op_args_inb, q_arg. Qed.

  Lemma pair_view_ok g ie x y D1 D2 :
    view_ok g ie x D1 -> view_ok g ie y D2 -> view_ok g ie (IPair x y) (SPair D1 D2).
  Proof. intros OK1 OK2 [|[i| |] q]; simpl; try tauto; auto. Qed.

  Lemma pad_view_ok g ie lo n m c x A :
    view_ok g ie x (SAry (size_val n) A) -> view_ok g ie (IPad lo n c x) (SAry m A).
  Proof.
    intros OK [|[i| |] q]; simpl; try tauto. intros [_ q_in].
    destruct (Nat.leb_spec (size_val lo) i); simpl; [|exact I].
    destruct (Nat.ltb_spec i (size_val lo + size_val n)); [|exact I].
    apply OK. simpl. split; [lia | exact q_in].
  Qed.

  Lemma if_view_ok g ie xi c x y D :
    guard_safe sg (index_env (map ie xi)) c -> view_ok g ie x D -> view_ok g ie y D ->
    view_ok g ie (IIf (guard_rename xi c) x y) D.
  Proof.
    intros safe OK1 OK2 p p_in. simpl. split; [apply guard_safe_rename, safe|].
    destruct (guard_val sg ie (guard_rename xi c)); auto.
  Qed.

  Lemma lay_view_ok g ie xi l x S D :
    lay_ok sg (index_env (map ie xi)) l S D -> view_ok g ie x S ->
    view_ok g ie (ILay (lay_rename xi l) x) D.
  Proof.
    intros LAY OK p p_in. apply (lay_ok_rename sg ie xi l S D) in LAY as [_ LAY].
    destruct (LAY p p_in) as [q_in safe]. simpl. auto.
  Qed.

  Theorem lower_safe X G e D : has_ty sg X G e D ->
    view_fun_safe X G (fst (lower e)) D /\
    forall T, aligned_write T e = true -> acc_fun_safe T X G (snd (lower e)) D.
  Proof.
    intros TY. induction TY as
      [X G x D found|X G d c|X G o e TYe IHe|X G e1 e2 D1 D2 TY1 IH1 TY2 IH2
      |X G l e S D OK INV TYe IHe|X G lo n hi c e A TYe IHe|X G g e1 e2 D OK TY1 IH1 TY2 IH2
      |X G k n d1 d2 f e TYf IHf TYe IHe|X G w n d1 d2 f i e TYf IHf TYi IHi TYe IHe
      |X G e1 e2 D1 D2 TY1 IH1 TY2 IH2|X G d e TYe IHe|X G n m d e1 e2 TY1 IH1 TY2 IH2].
    - pose proof (lower_writes sg X G _ _ (TyVar sg X G x D found)) as [C_ok _].
      assert (VIEW : view_fun_safe X G (fst (lower (EVar x))) D).
      { intros P k xi rho ie g _ _ ENV. split; [exact I | exact (ENV x D found)]. }
      split; [exact VIEW|]. intros T _. apply copy_out_safe; assumption.
    - pose proof (lower_writes sg X G _ _ (TyCst sg X G d c)) as [C_ok _].
      assert (VIEW : view_fun_safe X G (fst (lower (ECst d c))) (ty_val d)).
      { intros P k xi rho ie g _ _ _. split; [exact I | intros p _; exact I]. }
      split; [exact VIEW|]. intros T _. apply copy_out_safe; assumption.
    - pose proof (lower_writes sg X G _ _ (TyOp sg X G o e TYe)) as [C_ok _].
      assert (VIEW : view_fun_safe X G (fst (lower (EOp o e))) SNum).
      { apply (view1_safe sg X G _ _ (op_type o)); [apply IHe|]. auto using op_view_ok. }
      split; [exact VIEW|]. intros T _. apply copy_out_safe; assumption.
    - destruct IH1 as [VIEW1 ACC1]. destruct IH2 as [VIEW2 ACC2].
      pose proof (lower_writes sg X G _ _ TY1) as [C1_ok _]. split.
      + apply (view2_safe sg X G _ _ _ D1 D2); auto using pair_view_ok.
      + cbn [aligned_write]. intros T ok. apply andb_true_iff in ok as [ok1 ok2].
        apply lower_pair_acc_safe; auto.
    - destruct IHe as [VIEWe ACC].
      pose proof (lower_writes sg X G _ _ (TyLay sg X G l e S D OK INV TYe)) as [C_ok _].
      assert (VIEW : view_fun_safe X G (fst (lower (ELay l e))) D).
      { apply (view1_safe sg X G _ _ S); [exact VIEWe|]. intros ie xi x g bounds.
        apply lay_view_ok, OK, bounds. }
      split; [exact VIEW|]. cbn [lower snd aligned_write]. intros T ok.
      destruct (invertible l) eqn:inv.
      + apply (lower_lay_acc_safe sg T X G l _ S D); auto.
      + apply copy_out_safe; assumption.
    - pose proof (lower_writes sg X G _ _ (TyPad sg X G lo n hi c e A TYe)) as [C_ok _].
      assert (VIEW : view_fun_safe X G (fst (lower (EPad lo n hi c e)))
                       (SAry (size_val lo + size_val n + size_val hi) A)).
      { apply (view1_safe sg X G _ _ (SAry (size_val n) A)); [apply IHe|].
        auto using pad_view_ok. }
      split; [exact VIEW|]. intros T _. apply copy_out_safe; assumption.
    - pose proof (lower_writes sg X G _ _ (TyIf sg X G g e1 e2 D OK TY1 TY2)) as [C_ok _].
      pose proof (lower_writes sg X G _ _ TY1) as [C1_ok _].
      assert (VIEW : view_fun_safe X G (fst (lower (EIf g e1 e2))) D).
      { apply (view2_safe sg X G _ _ _ D D); [exact C1_ok | apply IH1 | apply IH2 |].
        intros ie xi x y h bounds. apply if_view_ok, OK, bounds. }
      split; [exact VIEW|]. intros T _. apply copy_out_safe; assumption.
    - destruct IHe as [VIEWe _]. destruct IHf as [_ ACC].
      destruct (lower_writes sg _ _ _ _ TYe) as [C_ok _].
      destruct (lower_writes sg _ _ _ _ TYf) as [_ A_ok].
      pose proof (typed_view_tagged sg _ _ _ _ TYe) as TAGGED.
      destruct (lower_reads sg _ _ _ _ TYf) as [_ READS].
      assert (MAP : forall T, aligned_write T (EMap k n d1 d2 f e) = true ->
        acc_fun_safe T X G (lower_map (fst (lower e)) (snd (lower f)) k n d2)
          (SAry (size_val n) (ty_val d2))).
      { cbn [aligned_write]. intros T ok. apply andb_true_iff in ok as [ok ok_f].
        apply andb_true_iff in ok as [fresh no].
        apply (lower_map_safe sg T X G k n d1 d2 _ _ e); auto. }
      split; [|exact MAP]. apply (spill_safe sg X G _ (TAry n d2)), MAP, cold_write.
    - destruct IHe as [VIEWe _]. destruct IHf as [_ ACC_F]. destruct IHi as [_ ACC_I].
      destruct (lower_writes sg _ _ _ _ TYe) as [C_ok _].
      pose proof (typed_view_tagged sg _ _ _ _ TYe) as TAGGED.
      pose proof (lower_writes sg _ _ _ _ (TyRed sg X G w n d1 d2 f i e TYf TYi TYe))
        as [R_ok _].
      assert (VIEW : view_fun_safe X G (fst (lower (ERed w n d1 d2 f i e))) (ty_val d2)).
      { apply (lower_red_safe sg X G _ _ _ _ _ n d1 d2); auto using cold_write.
        destruct (in_place f) eqn:once; apply ACC_F; [exact once | apply cold_write]. }
      split; [exact VIEW|]. intros T ok.
      assert (COPY : acc_fun_safe T X G (copy_out (fst (lower (ERed w n d1 d2 f i e))))
                       (ty_val d2)) by (apply copy_out_safe; assumption).
      cbn [aligned_write lower fst snd] in *. unfold in_place in *.
      destruct (is_into w && aligned_write [Cold; Aligned] f); [|exact COPY].
      apply andb_true_iff in ok as [ok ok_f]. apply andb_true_iff in ok as [ok ok_i].
      apply andb_true_iff in ok as [fresh cold].
      apply (lower_red_into_safe sg T X G _ _ _ _ e n d1 d2); auto.
    - destruct IH1 as [VIEW1 _]. destruct IH2 as [VIEW2 ACC2].
      destruct (lower_writes sg _ _ _ _ TY1) as [C1_ok _].
      pose proof (typed_view_tagged sg _ _ _ _ TY1) as TAGGED. split.
      + apply (lower_let_view_safe sg X G _ _ D1); assumption.
      + cbn [aligned_write]. intros T ok. apply andb_true_iff in ok as [fresh ok].
        apply (lower_let_acc_safe sg T X G _ _ e1 D1); auto.
    - destruct IHe as [_ ACC]. split; [|exact ACC]. apply spill_safe.
      exact (ACC [] (cold_write e)).
    - destruct IH1 as [_ ACC1]. destruct IH2 as [_ ACC2].
      assert (CAT : forall T, aligned_write T (ECat n m d e1 e2) = true ->
        acc_fun_safe T X G (lower_cat_acc (snd (lower e1)) (snd (lower e2)) n m d)
          (SAry (size_val n + size_val m) (ty_val d))).
      { cbn [aligned_write]. intros T ok. apply andb_true_iff in ok as [ok1 ok2].
        apply lower_cat_acc_safe; auto. }
      split; [|exact CAT]. apply (spill_safe sg X G _ (TAry (SAdd n m) d)), CAT, cold_write.
  Qed.

  (** Inputs, then the output. *)
  Definition kernel_types (G : list ty) (d : ty) : ty_env := fun v => nth v (G ++ [d]) TNum.

  Lemma kernel_types_input G d v e : nth_error G v = Some e -> kernel_types G d v = e.
  Proof.
    intros found. unfold kernel_types. rewrite app_nth1; [apply nth_error_nth, found|].
    apply nth_error_Some. congruence.
  Qed.

  Lemma kernel_types_output G d : kernel_types G d (length G) = d.
  Proof. unfold kernel_types. rewrite app_nth2 by lia. rewrite Nat.sub_diag. reflexivity. Qed.

  Theorem kernel_safe G e d ie :
    has_ty sg [] (map ty_val G) e (ty_val d) ->
    comm_safe sg (kernel_types G d) (kernel (length G) e d) ie.
  Proof.
    intros TY. destruct (lower_safe [] _ e _ TY) as [_ ACC].
    refine (ACC [] (cold_write e) d _ _ [] (inputs (length G)) (AVar (length G)) ie _ eq_refl
              (inputs_scoped _) (Forall2_nil _) _ _ I (le_n _) (acc_inj_var sg ie _ _) _).
    - intros x D found p p_in. rewrite nth_error_map in found.
      destruct (nth_error G x) as [dx|] eqn:found_x; [|discriminate].
      injection found as D_eq. rewrite nth_inputs by (apply nth_error_Some; congruence).
      simpl. rewrite (kernel_types_input G d x dx found_x), D_eq. exact p_in.
    - apply (hot_apart sg _ _ [] _ _ _ _ _ (inputs_scoped _)). simpl. lia.
    - apply acc_ok_var. rewrite kernel_types_output. reflexivity.
  Qed.
End SAFE.
