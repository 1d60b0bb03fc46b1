(** The cotangents times the tangents of statements are the sums of their uses; and the uses of a
    tensor are its adjoint times its tangent.

    [uses_sound] [contributions_sound] [sum_by_tensor] *)

From Coq Require Import Arith ZArith NArith List Bool Lia Ring_theory.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics index.Kernel.
From Vouch Require Import adjoint.Points adjoint.Entail adjoint.Rings adjoint.Slopes adjoint.Tangent.
From Vouch Require Import adjoint.Equal adjoint.Substitute adjoint.Change adjoint.Tensors adjoint.Decide adjoint.Adjoint.
Import ListNotations.

Section STATEMENTS.
  Context (sg : nat -> nat) (K : scalars) (RING : ring_like K) (G GT : list (tensor K)) (active : nat -> bool).
  Context (SAME : length G = length GT)
    (FIXED : forall t at_, active t = false -> read K GT t at_ = cst K zero).

  Notation "0" := (cst K zero).
  Notation "x + y" := (op2 K Add x y).
  Notation "x * y" := (op2 K Mul x y).
  Let laws := ring_laws K RING.
  Add Ring scalar_ring : laws.

  Notation use_val := (use_val sg K G GT).
  Notation P := (paired K G GT).

  Lemma dual_add x y : snd (op2 (dual K) Add x y) = snd x + snd y.
  Proof using RING. cbn. ring. Qed.

  Lemma cotangent_val adjoint extents loops w :
    In w (points (sizes_val sg (extents ++ loops)) []) ->
    body_val sg K w G (cotangent adjoint extents (length loops)) = read K G adjoint (rev (skipn (length loops) w)).
  Proof using SAME.
    intros w_in. apply points_at in w_in as [size below]. unfold sizes_val in *.
    rewrite map_length, app_length in *. unfold cotangent, variables. cbn [body_val].
    set (s := combine _ _).
    assert (at_k : forall k, k < length extents -> nth k s (IVar O, SConst 0) =
      (IVar (length loops + (length extents - S k)), nth k extents (SConst 0))).
    { intros k k_lt. unfold s. rewrite combine_nth by now rewrite rev_length, map_length, seq_length.
      rewrite rev_nth by now rewrite map_length, seq_length.
      rewrite map_length, seq_length, map_nth, seq_nth by lia. reflexivity. }
    assert (s_size : length s = length extents).
    { unfold s. rewrite combine_length, rev_length, map_length, seq_length. lia. }
    replace (all_inside sg w s) with true.
    - f_equal. apply nth_ext with (d := O) (d' := O).
      + rewrite map_length, rev_length, skipn_length. lia.
      + rewrite map_length, s_size. intros k k_lt.
        rewrite (nth_indep _ O (Z.to_nat (iterm_val sg w (fst (IVar O, SConst 0))))) by (rewrite map_length; lia).
        rewrite map_nth with (f := fun p => Z.to_nat (iterm_val sg w (fst p))), at_k by assumption.
        cbn [fst iterm_val]. rewrite Nat2Z.id, rev_nth, skipn_length by (rewrite skipn_length; lia).
        rewrite nth_skipn_shift. f_equal. lia.
    - symmetry. unfold all_inside. apply forallb_forall. intros p p_in.
      apply In_nth with (d := (IVar O, SConst 0)) in p_in as (k & k_lt & <-). rewrite at_k by lia.
      cbn [fst snd iterm_val]. unfold inside. apply andb_true_iff. split; [apply Z.leb_le; lia|apply Z.ltb_lt].
      apply inj_lt. specialize (below (length loops + (length extents - S k))%nat ltac:(lia)).
      replace (nth k extents (SConst 0)) with (nth (length loops + (length extents - S k)) (rev (extents ++ loops)) (SConst 0)).
      + rewrite <- map_rev in below.
        rewrite (nth_indep (map (size_val sg) (rev (extents ++ loops))) O (size_val sg (SConst 0))) in below
          by (rewrite map_length, rev_length, app_length; lia).
        now rewrite map_nth in below.
      + rewrite rev_app_distr, app_nth2, rev_length by (rewrite rev_length; lia).
        replace (length loops + (length extents - S k) - length loops)%nat with (length extents - S k)%nat by lia.
        rewrite rev_nth by lia. f_equal. lia.
  Qed.

  Lemma summand_uses_sound adjoint extents l : forall us,
    summand_uses active adjoint extents l = Some us ->
    lsum K (points (sizes_val sg extents) []) (fun z =>
      read K G adjoint (rev z) * snd (element_val sg (dual K) z P l)) = lsum K us use_val.
  Proof using RING SAME FIXED.
    induction l as [|s l IHl]; cbn [summand_uses]; intros us.
    - injection 1 as <-. cbn. apply lsum_zero; [assumption|]. intros z _. ring.
    - unfold with_both, option_map.
      destruct (occurrences active _ _ (su_cond s) (su_body s)) as [os|] eqn:found; [|discriminate].
      destruct (summand_uses active adjoint extents l) as [vs|]; [|discriminate]. injection 1 as <-.
      rewrite lsum_app, <- (IHl vs eq_refl) by assumption.
      transitivity (lsum K (points (sizes_val sg extents) []) (fun z =>
        read K G adjoint (rev z) * lsum K (points (loop_values sg s) z) (sum_at K sg (dual K) snd P s) +
        read K G adjoint (rev z) * snd (element_val sg (dual K) z P l))).
      { apply lsum_ext. intros z _.
        rewrite !(element_sum K RING sg (dual K) snd eq_refl dual_add). cbn [fsum]. ring. }
      rewrite lsum_plus by assumption. f_equal. clear IHl.
      rewrite lsum_map. unfold Change.use_val. cbn [us_box us_occurrence].
      transitivity (lsum K os (fun o => lsum K (points (sizes_val sg (extents ++ su_loops s)) [])
        (fun w => occurrence_sum sg K G GT w o))).
      2: { apply lsum_ext. intros o _. unfold occurrence_sum, sizes_val.
           rewrite (map_app _ (extents ++ su_loops s)), points_app, lsum_flat_map by assumption. reflexivity. }
      rewrite <- lsum_exchange by assumption.
      unfold sizes_val. rewrite map_app, points_app, lsum_flat_map by assumption. apply lsum_ext.
      intros z z_in. rewrite <- lsum_scale by assumption. apply lsum_ext. intros w w_in.
      assert (w_in_all : In w (points (sizes_val sg (extents ++ su_loops s)) [])).
      { unfold sizes_val. rewrite map_app, points_app. apply in_flat_map. eauto. }
      assert (w_size : length w = length (extents ++ su_loops s)).
      { rewrite (points_length _ _ _ w_in_all). unfold sizes_val. rewrite map_length. cbn. lia. }
      rewrite (occurrences_sound active _ sg K RING G GT SAME FIXED w _ w_size _ _ _ found).
      rewrite cotangent_val.
      + unfold sum_at. assert (drop : skipn (length (su_loops s)) w = z).
        { apply points_in in w_in as (i & -> & below). unfold loop_values in below.
          apply Forall2_length in below. rewrite map_length in below. rewrite <- below, <- rev_length.
          now rewrite skipn_app, skipn_all, Nat.sub_diag. }
        rewrite drop. destruct (icond_val sg w (su_cond s)); ring.
      + exact w_in_all.
  Qed.

  Lemma uses_sound l : forall us, uses_of active l = Some us ->
    lsum K l (fun s => lsum K (points (sizes_val sg (so_extents s)) []) (fun z =>
      read K G (so_adjoint s) (rev z) * snd (element_val sg (dual K) z P (so_summands s)))) = lsum K us use_val.
  Proof using RING SAME FIXED.
    induction l as [|s l IHl]; cbn [uses_of]; intros us.
    - injection 1 as <-. reflexivity.
    - unfold with_both. destruct (summand_uses _ _ _ _) as [vs|] eqn:found; [|discriminate].
      destruct (uses_of active l) as [ws|]; [|discriminate]. injection 1 as <-.
      cbn [fsum]. rewrite lsum_app, (summand_uses_sound _ _ _ _ found), (IHl ws eq_refl) by assumption. reflexivity.
  Qed.

  Lemma contributions_sound facts shape tensor us : facts_hold sg facts ->
    (forall u, In u us -> oc_tensor (us_occurrence u) = tensor) ->
    forall changes l, contributions facts shape us changes l = true ->
    lsum K us use_val =
    lsum K (points (sizes_val sg shape) []) (fun z => element_val sg K z G l * read K GT tensor (rev z)).
  Proof using RING.
    intros FACTS. induction us as [|u us IHus]; intros tensors [|[c|] changes] l; cbn [contributions]; try discriminate.
    - destruct l; [|discriminate]. intros _. symmetry. apply lsum_zero; [assumption|]. intros z _. cbn. ring.
    - destruct l as [|s l]; [discriminate|]. intros checked. apply andb_true_iff in checked as [first rest].
      cbn [fsum]. rewrite (contribution_sound facts sg K RING G GT FACTS _ _ _ _ first).
      rewrite (IHus (fun v v_in => tensors v (or_intror v_in)) _ _ rest), (tensors u (or_introl eq_refl)).
      rewrite <- lsum_plus by assumption. apply lsum_ext. intros z _.
      rewrite !(element_sum K RING sg K (fun x => x) eq_refl (fun x y => eq_refl)). cbn [fsum]. ring.
    - intros checked. apply andb_true_iff in checked as [first rest]. cbn [fsum].
      rewrite (vacuous_sound facts sg K RING G GT FACTS _ first).
      rewrite (IHus (fun v v_in => tensors v (or_intror v_in)) _ _ rest). ring.
  Qed.

  Lemma sum_of_one tensors x c : NoDup tensors -> In x tensors ->
    lsum K tensors (fun t => if Nat.eqb x t then c else 0) = c.
  Proof using RING.
    induction 1 as [|t tensors t_new _ IHt]; intros x_in; [contradiction|]. cbn.
    destruct (Nat.eqb_spec x t) as [<-|differs].
    - rewrite lsum_zero; [ring|assumption|]. intros u u_in. destruct (Nat.eqb_spec x u) as [<-|]; [contradiction|reflexivity].
    - destruct x_in as [->|x_in]; [contradiction|]. rewrite IHt by assumption. ring.
  Qed.

  Lemma sum_by_tensor tensors us f : NoDup tensors ->
    (forall u, In u us -> In (oc_tensor (us_occurrence u)) tensors) ->
    lsum K us f = lsum K tensors (fun t => lsum K (uses_at t us) f).
  Proof using RING.
    intros once. induction us as [|u us IHus]; intros inside.
    - symmetry. now apply lsum_zero.
    - cbn [fsum]. rewrite (IHus (fun v v_in => inside v (or_intror v_in))).
      rewrite <- (sum_of_one tensors (oc_tensor (us_occurrence u)) (f u)) at 1 by (try assumption; apply inside; now left).
      rewrite <- lsum_plus by assumption. apply lsum_ext. intros t _. unfold uses_at. cbn [filter].
      destruct (Nat.eqb _ t); cbn [fsum]; ring.
  Qed.
End STATEMENTS.

Ltac pruned there := match type of there with (if ?zero then _ else _) = _ => destruct zero end.

Lemma occurrences_active active depth : forall b seed cond l o,
  occurrences active depth seed cond b = Some l -> In o l -> active (oc_tensor o) = true.
Proof.
  assert (with_in : forall (a b : option (list occurrence)) l o, with_both a b = Some l -> In o l ->
    (exists m, a = Some m /\ In o m) \/ (exists m, b = Some m /\ In o m)).
  { intros [m|] [q|] l o; cbn; try discriminate. injection 1 as <-. intros o_in.
    apply in_app_iff in o_in as [o_in|o_in]; eauto. }
  induction b as [c|i|t s|x IHx n t s r|u a IHa|u a IHa b IHb|u a IHa b IHb c IHc|g a IHa b IHb]; cbn [occurrences]; intros seed cond l o found o_in.
  - injection found as <-. contradiction.
  - injection found as <-. contradiction.
  - injection found as <-. destruct (active t) eqn:t_active; [|contradiction]. now destruct o_in as [<-|[]].
  - injection found as <-. destruct (active t) eqn:t_active; [|contradiction]. now destruct o_in as [<-|[]].
  - destruct (slope1 u) as [d|].
    + pruned found; [injection found as <-; contradiction|eauto].
    + destruct (varies active a); [discriminate|]. injection found as <-. contradiction.
  - destruct (with_in _ _ _ _ found o_in) as [(m & from & m_in)|(m & from & m_in)];
      (pruned from; [injection from as <-; contradiction|eauto]).
  - destruct (slope3 u) as [[dx dy] dz].
    destruct (with_in _ _ _ _ found o_in) as [(m & from & m_in)|(m & from & m_in)];
      [pruned from; [injection from as <-; contradiction|eauto]|].
    destruct (with_in _ _ _ _ from m_in) as [(m' & from' & m_in')|(m' & from' & m_in')];
      (pruned from'; [injection from' as <-; contradiction|eauto]).
  - destruct (with_in _ _ _ _ found o_in) as [(m & from & m_in)|(m & from & m_in)]; eauto.
Qed.

Lemma uses_active active l : forall us u, uses_of active l = Some us -> In u us ->
  active (oc_tensor (us_occurrence u)) = true.
Proof.
  induction l as [|s l IHl]; cbn [uses_of]; intros us u.
  - injection 1 as <-. contradiction.
  - unfold with_both. destruct (summand_uses _ _ _ _) as [vs|] eqn:found; [|discriminate].
    destruct (uses_of active l) as [ws|]; [|discriminate]. injection 1 as <-. intros u_in.
    apply in_app_iff in u_in as [u_in|u_in]; [|eauto]. clear IHl ws.
    revert vs found u_in. induction (so_summands s) as [|q qs IHq]; cbn [summand_uses]; intros vs found u_in.
    + injection found as <-. contradiction.
    + unfold with_both, option_map in found.
      destruct (occurrences active _ _ _ _) as [os|] eqn:of_q; [|discriminate].
      destruct (summand_uses active _ _ qs) as [more|]; [|discriminate]. injection found as <-.
      apply in_app_iff in u_in as [u_in|u_in]; [|eauto].
      apply in_map_iff in u_in as (o & <- & o_in). cbn. eapply occurrences_active; eassumption.
Qed.
