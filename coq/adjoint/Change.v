(** Changes of indices: from "every iteration adds to the element that it reads" to "every element
    is a sum over the iterations that read it".

    [change]         the two maps, as index terms: [ch_to] from iterations to points of the
                     gradient's summand, [ch_from] back; innermost index first
    [use]            an occurrence with the loops around it, the statement's indices first
    [contribution]   checks that a summand is a use after a change; sound by [contribution_sound] *)

From Coq Require Import Arith ZArith NArith List Bool Lia Ring_theory.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics index.Kernel.
From Vouch Require Import adjoint.Points adjoint.Entail adjoint.Rings adjoint.Slopes adjoint.Tangent.
From Vouch Require Import adjoint.Equal adjoint.Substitute.
Import ListNotations.

Record change : Type := { ch_to : list iterm; ch_from : list iterm }.

Record use : Type := { us_box : list size; us_occurrence : occurrence }.

(** ** Contributions *)

Section CHECK.
  Context (facts : list fact).

  Definition follows : icond -> icond -> bool := entails_by_cases 1 facts.

  Definition source_of (u : use) : icond :=
    CAnd (in_box (us_box u)) (CAnd (oc_cond (us_occurrence u)) (in_tensor (oc_at (us_occurrence u)))).

  Definition target_of (shape : list size) (s : summand) : icond :=
    CAnd (in_box (shape ++ su_loops s)) (su_cond s).

  (** The element that is read is the gradient's. *)
  Definition reads_element (loops : nat) (m : list iterm) (s : list (iterm * size)) : icond :=
    all (map (fun p => CEq (term_at m (fst (fst p))) (snd p)) (combine s (rev (variables loops (length s))))).

  Definition contribution (shape : list size) (u : use) (s : summand) (c : change) : bool :=
    let box := shape ++ su_loops s in
    let o := us_occurrence u in
    let p := source_of u in
    let q := target_of shape s in
    Nat.eqb (length (ch_to c)) (length box) &&
    Nat.eqb (length (ch_from c)) (length (us_box u)) &&
    Nat.eqb (length (oc_at o)) (length shape) &&
    follows p (lands box (ch_to c)) &&
    follows p (cond_at (ch_to c) (su_cond s)) &&
    follows p (returns (ch_to c) (ch_from c)) &&
    follows q (lands (us_box u) (ch_from c)) &&
    follows q (cond_at (ch_from c) (CAnd (oc_cond o) (in_tensor (oc_at o)))) &&
    follows q (returns (ch_from c) (ch_to c)) &&
    follows q (reads_element (length (su_loops s)) (ch_from c) (oc_at o)) &&
    bodies_equal facts q (body_at (ch_from c) (oc_cofactor o)) (su_body s).

  (** No iteration reads an element. *)
  Definition vacuous (u : use) : bool := follows (source_of u) (CNot CTrue).

  Section SOUND.
    Context (sg : nat -> nat) (K : scalars) (RING : ring_like K) (ts vs : list (tensor K)).
    Context (FACTS : facts_hold sg facts).

    Notation "0" := (cst K zero).
    Notation "x * y" := (op2 K Mul x y).
    Let laws := ring_laws K RING.
    Add Ring scalar_ring : laws.

    Definition use_val (u : use) : num K :=
      lsum K (points (sizes_val sg (us_box u)) [])
        (fun w => occurrence_val sg K ts vs w (us_occurrence u)).

    Lemma vacuous_sound u : vacuous u = true -> use_val u = 0.
    Proof using FACTS RING.
      intros checked. apply lsum_zero; [assumption|]. intros w w_in. unfold occurrence_val.
      destruct (_ && _) eqn:reads; [|reflexivity]. exfalso.
      pose proof (entails_by_cases_sound _ sg _ _ _ FACTS checked w) as never. unfold source_of in never.
      cbn [icond_val negb] in never. rewrite in_tensor_val, (in_box_val _ _ _ w_in) in never.
      apply never in reads. discriminate.
    Qed.

    Lemma reads_element_val w m s loops : length w = (length s + loops)%nat ->
      Forall (fun t => 0 <= iterm_val sg w t)%Z m ->
      icond_val sg w (reads_element loops m s) = true ->
      place sg (point m sg w) s = rev (skipn loops w).
    Proof using Type.
      intros size lows. unfold reads_element, variables. rewrite all_val, forallb_forall. intros same.
      apply nth_ext with (d := O) (d' := O).
      - unfold place. rewrite map_length, rev_length, skipn_length. lia.
      - unfold place at 1. rewrite map_length. intros k k_lt. unfold place.
        set (d := (ICon 0, SConst 0)). 
        rewrite (nth_indep _ O (Z.to_nat (iterm_val sg (point m sg w) (fst d)))) by now rewrite map_length.
        rewrite map_nth with (f := fun p => Z.to_nat (iterm_val sg (point m sg w) (fst p))).
        rewrite term_at_val by assumption.
        specialize (same (CEq (term_at m (fst (nth k s d))) (IVar (loops + (length s - S k))))).
        cbn [icond_val iterm_val] in same. rewrite Z.eqb_eq in same. rewrite same.
        + rewrite Nat2Z.id, rev_nth by (rewrite skipn_length; lia). rewrite skipn_length.
          rewrite <- (firstn_skipn loops w) at 1. rewrite app_nth2; rewrite firstn_length_le by lia; [|lia].
          f_equal. lia.
        + apply in_map_iff. exists (nth k s d, IVar (loops + (length s - S k))). split; [reflexivity|].
          replace (nth k s d, IVar (loops + (length s - S k)))
            with (nth k (combine s (rev (map IVar (seq loops (length s))))) (d, IVar O)).
          * apply nth_In. rewrite combine_length, rev_length, map_length, seq_length. lia.
          * rewrite combine_nth by now rewrite rev_length, map_length, seq_length.
            rewrite rev_nth by now rewrite map_length, seq_length.
            rewrite map_length, seq_length, map_nth, seq_nth by lia. reflexivity.
    Qed.

    Theorem contribution_sound shape u s c : contribution shape u s c = true ->
      use_val u =
      lsum K (points (sizes_val sg shape) [])
        (fun z => lsum K (points (loop_values sg s) z) (sum_at K sg K (fun x => x) ts s) *
                  read K vs (oc_tensor (us_occurrence u)) (rev z)).
    Proof using FACTS RING.
      unfold contribution. rewrite !andb_true_iff, !Nat.eqb_eq.
      intros ((((((((((to_size & from_size) & rank) & to_lands) & to_cond) & to_returns) & from_lands) & from_cond) &
        from_returns) & element) & bodies).
      pose proof (fun w => entails_by_cases_sound _ sg _ _ _ FACTS to_lands w) as to_lands'.
      pose proof (fun w => entails_by_cases_sound _ sg _ _ _ FACTS to_cond w) as to_cond'.
      pose proof (fun w => entails_by_cases_sound _ sg _ _ _ FACTS to_returns w) as to_returns'.
      pose proof (fun w => entails_by_cases_sound _ sg _ _ _ FACTS from_lands w) as from_lands'.
      pose proof (fun w => entails_by_cases_sound _ sg _ _ _ FACTS from_cond w) as from_cond'.
      pose proof (fun w => entails_by_cases_sound _ sg _ _ _ FACTS from_returns w) as from_returns'.
      pose proof (fun w => entails_by_cases_sound _ sg _ _ _ FACTS element w) as element'.
      clear to_lands to_cond to_returns from_lands from_cond from_returns element.
      set (o := us_occurrence u) in *. set (box := shape ++ su_loops s) in *.
      transitivity (lsum K (points (sizes_val sg box) []) (fun y =>
        if icond_val sg y (su_cond s)
        then body_val sg K y ts (su_body s) * read K vs (oc_tensor o) (rev (skipn (length (su_loops s)) y)) else 0)).
      - unfold use_val, occurrence_val. fold o.
        apply (sum_reindex K RING _ _ _ _ _ _ (point (ch_to c) sg) (point (ch_from c) sg)).
        + apply points_once.
        + apply points_once.
        + intros w w_in w_ok.
          assert (holds : icond_val sg w (source_of u) = true).
          { unfold source_of. cbn [icond_val]. rewrite in_tensor_val, (in_box_val _ _ _ w_in). exact w_ok. }
          destruct (lands_point sg box (ch_to c) w to_size (to_lands' w holds)) as [lows inside].
          split; [assumption|]. rewrite cond_at_val by assumption. split; [now apply to_cond'|].
          apply returns_point; [|assumption|now apply to_returns'].
          rewrite (points_length _ _ _ w_in). unfold sizes_val. rewrite map_length. cbn. lia.
        + intros y y_in y_ok.
          assert (holds : icond_val sg y (target_of shape s) = true).
          { unfold target_of. cbn [icond_val]. fold box. rewrite (in_box_val _ _ _ y_in). exact y_ok. }
          assert (y_size : length y = length box).
          { rewrite (points_length _ _ _ y_in). unfold sizes_val. rewrite map_length. cbn. lia. }
          destruct (lands_point sg (us_box u) (ch_from c) y from_size (from_lands' y holds)) as [lows inside].
          split; [assumption|].
          split. { rewrite <- in_tensor_val, !cond_at_val by assumption. exact (from_cond' y holds). }
          split. { apply returns_point; [lia|assumption|now apply from_returns']. }
          rewrite body_at_val by assumption.
          rewrite (bodies_equal_sound facts _ sg K RING ts y FACTS holds _ _ bodies). f_equal. f_equal.
          apply reads_element_val; [|assumption|now apply element'].
          rewrite y_size. unfold box. rewrite app_length. lia.
      - unfold box, sizes_val. rewrite map_app, points_app, lsum_flat_map by assumption.
        apply lsum_ext. intros z z_in.
        rewrite (Rmul_comm laws).
        rewrite <- lsum_scale by assumption. apply lsum_ext. intros y y_in.
        apply points_in in y_in as (i & -> & i_below). unfold sum_at.
        assert (drop : skipn (length (su_loops s)) (rev i ++ z) = z).
        { unfold loop_values in i_below. apply Forall2_length in i_below. rewrite map_length in i_below. rewrite <- i_below, <- rev_length.
          rewrite skipn_app, skipn_all, Nat.sub_diag. reflexivity. }
        rewrite drop. destruct (icond_val sg _ (su_cond s)); ring.
    Qed.
  End SOUND.
End CHECK.
