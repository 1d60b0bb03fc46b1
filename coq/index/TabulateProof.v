(** What is read from a copy, made in the middle of a plan, is what was read.

    [copied_val]     an element of the copy is the read, at the variables that the copy is over
    [retell_val]     the body that reads the copy has the same value
    [retold_val]     and so have summands
    [agree_tab]      the copy and all data variables around are tensors *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing array.Check.
From Vouch Require Import array.IndexProof.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Tile index.TileProof.
From Vouch Require Import index.Tabulate.
Import ListNotations.

Lemma place_of_ok v over default : listed v over = true -> nth (place_of v over) over default = v.
Proof.
  unfold listed. induction over as [|w more IH]; cbn [place_of length nth]; [discriminate|].
  destruct (Nat.eqb_spec v w) as [same|other]; [symmetry; exact same|].
  intros inside. apply IH. apply Nat.ltb_lt in inside. apply Nat.ltb_lt. lia.
Qed.

Lemma listed_in v over : In v over -> listed v over = true.
Proof.
  unfold listed. induction over as [|w more IH]; [contradiction|]. cbn [place_of length].
  destruct (Nat.eqb_spec v w) as [same|other]; [reflexivity|].
  intros [w_is|v_in]; [congruence|]. specialize (IH v_in).
  apply Nat.ltb_lt in IH. apply Nat.ltb_lt. lia.
Qed.

Lemma read_of_reads shapes t b s : read_of t b = Some s -> body_reads_ok shapes b = true ->
  body_reads_ok shapes (BRead t s) = true.
Proof.
  induction b as [c|i|u r|x IHx n u r q|o a IHa|o a IHa c IHc|o a IHa c IHc e IHe|g a IHa c IHc];
    cbn [read_of]; try discriminate.
  - destruct (Nat.eqb_spec u t) as [same|]; [|discriminate]. intros is ok. injection is as is.
    subst. exact ok.
  - intros is ok. cbn [body_reads_ok] in ok. apply andb_true_iff in ok as [ok_x _]. exact (IHx is ok_x).
  - exact IHa.
  - intros is ok. cbn [body_reads_ok] in ok. apply andb_true_iff in ok as [ok_a ok_c].
    destruct (read_of t a) as [q|]; cbn [either] in is; auto.
  - intros is ok. cbn [body_reads_ok] in ok. apply andb_true_iff in ok as [ok ok_e].
    apply andb_true_iff in ok as [ok_a ok_c].
    destruct (read_of t a) as [q|]; cbn [either] in is; auto.
    destruct (read_of t c) as [q|]; cbn [either] in is; auto.
  - intros is ok. cbn [body_reads_ok] in ok. apply andb_true_iff in ok as [ok_a ok_c].
    destruct (read_of t a) as [q|]; cbn [either] in is; auto.
Qed.

Lemma source_of_reads shapes t l loops s : source_of t l = Some (loops, s) ->
  forallb (fun r => body_reads_ok shapes (su_body r)) l = true ->
  body_reads_ok shapes (BRead t s) = true.
Proof.
  induction l as [|r more IH]; cbn [source_of forallb]; [discriminate|].
  intros is ok. apply andb_true_iff in ok as [ok_r ok].
  destruct (read_of t (su_body r)) as [q|] eqn:read; [|exact (IH is ok)].
  injection is as loops_is s_is. subst. exact (read_of_reads shapes t _ _ read ok_r).
Qed.

(** Data variables around are tensors of which nothing is said. *)
Definition shapes_tab (shape : list size) (d : nat) (shapes : list (list size)) : list (list size) :=
  shape :: repeat [] d ++ shapes.

Lemma shapes_tab_at shape d shapes u :
  nth_error (shapes_tab shape d shapes) (S (d + u)) = nth_error shapes u.
Proof.
  unfold shapes_tab. cbn [nth_error]. rewrite nth_error_app2; rewrite repeat_length; [|lia].
  f_equal. lia.
Qed.

Lemma retell_reads shapes shape t s at_copy d b : map snd at_copy = shape ->
  body_reads_ok shapes b = true -> body_reads_ok (shapes_tab shape d shapes) (retell t s at_copy d b) = true.
Proof.
  intros shape_is.
  assert (HERE : body_reads_ok (shapes_tab shape d shapes) (BRead 0 at_copy) = true).
  { cbn [body_reads_ok shapes_tab nth_error]. unfold same_extents.
    destruct (list_eq_dec size_eq_dec (map snd at_copy) shape); [reflexivity | contradiction]. }
  assert (OTHER : forall u r, body_reads_ok shapes (BRead u r) = true ->
                    body_reads_ok (shapes_tab shape d shapes) (BRead (S (d + u)) r) = true).
  { intros u r ok. cbn [body_reads_ok] in *. rewrite shapes_tab_at. exact ok. }
  induction b as [c|i|u r|x IHx n u r q|o a IHa|o a IHa c IHc|o a IHa c IHc e IHe|g a IHa c IHc];
    cbn [retell]; intros ok.
  - reflexivity.
  - reflexivity.
  - destruct s as [s|]; [|exact (OTHER u r ok)].
    destruct ((u =? t) && _); [exact HERE | exact (OTHER u r ok)].
  - cbn [body_reads_ok] in *. apply andb_true_iff in ok as [ok_x ok]. rewrite (IHx ok_x), shapes_tab_at. exact ok.
  - exact (IHa ok).
  - cbn [body_reads_ok] in *. apply andb_true_iff in ok as [ok_a ok_c].
    rewrite (IHa ok_a), (IHc ok_c). reflexivity.
  - cbn [body_reads_ok] in *. apply andb_true_iff in ok as [ok ok_e].
    apply andb_true_iff in ok as [ok_a ok_c]. rewrite (IHa ok_a), (IHc ok_c), (IHe ok_e). reflexivity.
  - cbn [body_reads_ok] in *. apply andb_true_iff in ok as [ok_a ok_c].
    rewrite (IHa ok_a), (IHc ok_c). reflexivity.
Qed.

Section INDICES.
  Context (sg : nat -> nat).

  Notation below := (below sg).
  Notation sees := (sees sg).

  Lemma mentions_val t : forall e1 e2,
    (forall v, mentions v t = true -> nth v e1 0 = nth v e2 0) ->
    iterm_val sg e1 t = iterm_val sg e2 t.
  Proof using.
    induction t as [i|z|s|a IHa b IHb|z a IHa|a IHa m|a IHa m]; intros e1 e2 same;
      cbn [mentions iterm_val] in *; try reflexivity; try (rewrite (IHa e1 e2 same); reflexivity).
    - rewrite (same i (Nat.eqb_refl i)). reflexivity.
    - rewrite (IHa e1 e2), (IHb e1 e2); [reflexivity| |]; intros v v_in; apply same;
        rewrite v_in; [apply orb_true_r | reflexivity].
  Qed.

  Lemma with_vars_sees js : forall st iv kv, sees st iv kv ->
    sees (with_vars (length js) st) (rev js ++ iv) (rev js ++ kv).
  Proof using.
    induction js as [|j js IH]; intros st iv kv SEES; [exact SEES|].
    cbn [length with_vars rev]. rewrite <- !app_assoc. cbn [app].
    apply IH. apply (with_var_sees sg st 0 j iv kv); [lia | exact SEES].
  Qed.

  Lemma variables_see A B from : from = length A ->
    sees (map IVar (seq from (length B))) (A ++ B) B.
  Proof using.
    intros from_is. subst from. revert A. induction B as [|x B IH]; intros A; [constructor|].
    cbn [length seq map]. constructor.
    - cbn [iterm_val]. rewrite app_nth2, Nat.sub_diag by lia. reflexivity.
    - specialize (IH (A ++ [x])). rewrite app_length, <- app_assoc in IH. cbn [length app] in IH.
      rewrite Nat.add_1_r in IH. exact IH.
  Qed.

  Lemma below_nth ks l : below ks l -> forall v, v < length l ->
    nth v ks 0 < size_val sg (nth v l (SConst 0)).
  Proof using.
    unfold LowerTerms.below, in_bounds. revert ks.
    induction l as [|n l IH]; intros ks INSIDE v v_lt; cbn [length] in v_lt; [lia|].
    inversion INSIDE as [|k n1 rest more_is k_lt REST]. subst.
    destruct v as [|v]; cbn [nth]; [exact k_lt | apply IH; [exact REST | lia]].
  Qed.

  Section COPY.
    Context (loops axes : list size) (s : subscripts) (over : list nat).
    Context (fits : tab_ok loops axes s over = true).

    (** Values of the body's variables, without what the copy is not over. *)
    Definition masked (ks : list nat) : list nat :=
      map (fun v => if listed v over then nth v ks 0 else 0) (seq 0 (length (bounds loops axes))).

    Definition gathered (ks : list nat) : list nat := map (fun v => nth v ks 0) over.

    Lemma over_below v : In v over -> v < length (bounds loops axes).
    Proof using fits.
      unfold tab_ok in fits. apply andb_true_iff in fits as [all _].
      rewrite forallb_forall in all. intros v_in. apply Nat.ltb_lt, all, v_in.
    Qed.

    Lemma positions_see ks kv :
      sees (positions_of over (length (bounds loops axes)) (length kv)) (rev (gathered ks) ++ kv)
        (masked ks ++ kv).
    Proof using.
      unfold positions_of. apply Forall2_app.
      - unfold masked. generalize (seq 0 (length (bounds loops axes))) as vs.
        induction vs as [|v vs IH]; [constructor|]. cbn [map]. constructor; [|exact IH].
        destruct (listed v over) eqn:is_listed; [|reflexivity].
        pose proof (place_of_ok v over 0 is_listed) as at_place.
        unfold listed in is_listed. apply Nat.ltb_lt in is_listed.
        assert (long : length (gathered ks) = length over) by apply map_length.
        cbn [iterm_val]. rewrite app_nth1 by (rewrite rev_length, long; lia).
        rewrite rev_nth by (rewrite long; lia). rewrite long.
        replace (length over - S (length over - S (place_of v over))) with (place_of v over) by lia.
        unfold gathered. rewrite (nth_indep _ 0 (nth 0 ks 0)) by (rewrite map_length; exact is_listed).
        rewrite (map_nth (fun w => nth w ks 0) over 0 (place_of v over)), at_place. reflexivity.
      - apply variables_see. rewrite rev_length. symmetry. apply map_length.
    Qed.

    Lemma masked_nth ks kv v : length ks = length (bounds loops axes) ->
      existsb (fun p => mentions v (fst p)) s = true ->
      nth v (masked ks ++ kv) 0 = nth v (ks ++ kv) 0.
    Proof using fits.
      intros long mentioned.
      assert (long_masked : length (masked ks) = length ks)
        by (unfold masked; rewrite map_length, seq_length; symmetry; exact long).
      destruct (Nat.ltb_spec v (length ks)) as [inside|outside].
      - rewrite !app_nth1 by lia. unfold masked.
        set (f := fun w => if listed w over then nth w ks 0 else 0).
        rewrite (nth_indep _ 0 (f 0)) by (rewrite map_length, seq_length; lia).
        rewrite (map_nth f), seq_nth by lia. cbn [Nat.add]. unfold f.
        assert (v_listed : listed v over = true).
        { unfold tab_ok in fits. apply andb_true_iff in fits as [_ all]. rewrite forallb_forall in all.
          specialize (all v). rewrite mentioned, orb_false_r in all. apply all, in_seq. lia. }
        rewrite v_listed. reflexivity.
      - rewrite !app_nth2 by lia. rewrite long_masked. reflexivity.
    Qed.

    Lemma picked_inside ks kv : below ks (bounds loops axes) ->
      all_inside sg (ks ++ kv) (at_variables loops axes over) = true.
    Proof using fits.
      intros INSIDE. assert (long := below_length sg _ _ INSIDE).
      unfold all_inside, at_variables. rewrite forallb_forall. intros p p_in.
      apply in_map_iff in p_in as (v & p_is & v_in). subst p. cbn [fst snd iterm_val].
      pose proof (over_below v v_in) as v_lt. rewrite app_nth1 by lia.
      pose proof (below_nth ks _ INSIDE v v_lt) as low. unfold inside, bound.
      apply andb_true_iff. split; [apply Z.leb_le | apply Z.ltb_lt]; lia.
    Qed.

    Lemma picked_at ks kv : length ks = length (bounds loops axes) ->
      map (fun p => Z.to_nat (iterm_val sg (ks ++ kv) (fst p))) (at_variables loops axes over) = gathered ks.
    Proof using fits.
      intros long. unfold at_variables, gathered. rewrite map_map. apply map_ext_in. intros v v_in.
      cbn [fst iterm_val]. rewrite Nat2Z.id, app_nth1; [reflexivity|].
      rewrite long. apply over_below, v_in.
    Qed.

    Lemma copied_val K ts t st iv kv ks : sees st iv kv -> length ks = length (bounds loops axes) ->
      body_val sg K (rev (gathered ks) ++ iv) ts
        (ibody_at (with_vars (length over) st) (copied t loops axes s over (length st))) =
      body_val sg K (ks ++ kv) ts (BRead t s).
    Proof using fits.
      intros SEES long.
      assert (count : length over = length (gathered ks)) by (symmetry; apply map_length).
      rewrite count.
      rewrite (body_at_val sg _ _ _ (with_vars_sees (gathered ks) st iv kv SEES)).
      unfold copied. assert (outer : length st = length kv) 
        by (clear -SEES; induction SEES; cbn [length]; congruence).
      rewrite outer, (body_at_val sg _ _ _ (positions_see ks kv)).
      assert (SAME : forall p, In p s ->
                iterm_val sg (masked ks ++ kv) (fst p) = iterm_val sg (ks ++ kv) (fst p)).
      { intros p p_in. apply mentions_val. intros v v_in. apply masked_nth; [exact long|].
        apply existsb_exists. exists p. split; assumption. }
      cbn [body_val]. unfold all_inside.
      assert (INSIDE : forallb (fun p => inside (iterm_val sg (masked ks ++ kv) (fst p)) (size_val sg (snd p))) s =
                       forallb (fun p => inside (iterm_val sg (ks ++ kv) (fst p)) (size_val sg (snd p))) s).
      { clear -SAME. induction s as [|p q IH]; [reflexivity|]. cbn [forallb].
        rewrite (SAME p (or_introl eq_refl)), IH; [reflexivity|].
        intros r r_in. apply SAME. right. exact r_in. }
      rewrite INSIDE.
      destruct (forallb (fun p => inside (iterm_val sg (ks ++ kv) (fst p)) (size_val sg (snd p))) s);
        [|reflexivity].
      f_equal. apply map_ext_in. intros p p_in. rewrite (SAME p p_in). reflexivity.
    Qed.
  End COPY.

  Section RETELL.
    Context (K : scalars) (copy : tensor K) (pre : list (value K)) (ts : list (tensor K)).

    Definition tensors_tab : list (tensor K) := copy :: map (tensor_of K) pre ++ ts.

    Lemma tensors_tab_at u : read K tensors_tab (S (length pre + u)) = read K ts u.
    Proof using.
      unfold read, tensors_tab. cbn [nth]. rewrite <- (map_length (tensor_of K) pre).
      apply app_nth2_plus.
    Qed.

    Lemma retell_val iv t s at_copy b :
      (forall r, s = Some r -> all_inside sg iv at_copy = true /\
         copy (map (fun p => Z.to_nat (iterm_val sg iv (fst p))) at_copy) = body_val sg K iv ts (BRead t r)) ->
      body_val sg K iv tensors_tab (retell t s at_copy (length pre) b) = body_val sg K iv ts b.
    Proof using.
      intros COPY.
      assert (OTHER : forall u r, body_val sg K iv tensors_tab (BRead (S (length pre + u)) r) =
                                  body_val sg K iv ts (BRead u r)).
      { intros u r. cbn [body_val]. rewrite tensors_tab_at. reflexivity. }
      induction b as [c|i|u r|x IHx n u r q|o a IHa|o a IHa c IHc|o a IHa c IHc e IHe|g a IHa c IHc];
        cbn [retell].
      - reflexivity.
      - reflexivity.
      - destruct s as [s|]; [|apply OTHER].
        destruct (Nat.eqb_spec u t) as [same|]; cbn [andb]; [|apply OTHER].
        destruct (subscripts_eq_dec r s) as [r_is|]; [|apply OTHER]. subst.
        destruct (COPY s eq_refl) as [inside value]. rewrite <- value.
        cbn [body_val]. rewrite inside. reflexivity.
      - cbn [body_val]. rewrite IHx. apply gathered_ext. intros k k_lt. apply element_at_ext. intros indices.
        rewrite tensors_tab_at. reflexivity.
      - cbn [body_val]. rewrite IHa. reflexivity.
      - cbn [body_val]. rewrite IHa, IHc. reflexivity.
      - cbn [body_val]. rewrite IHa, IHc, IHe. reflexivity.
      - cbn [body_val]. rewrite IHa, IHc. reflexivity.
    Qed.

    Lemma iterate_below {A : Type} n (f g : nat -> A -> A) a :
      (forall i b, i < n -> f i b = g i b) -> iterate n f a = iterate n g a.
    Proof using.
      intros same. induction n as [|n IH]; [reflexivity|]. cbn [iterate].
      rewrite IH by (intros i b i_lt; apply same; lia). apply same. lia.
    Qed.

    Lemma fold_same other loops c b b1 : forall iv a,
      (forall rs, below rs loops ->
         body_val sg K (rev rs ++ iv) other b1 = body_val sg K (rev rs ++ iv) ts b) ->
      fold_val sg K loops c b1 iv other a = fold_val sg K loops c b iv ts a.
    Proof using.
      induction loops as [|n inner IH]; intros iv a same; cbn [fold_val].
      - specialize (same [] ltac:(constructor)). cbn [rev app] in same. rewrite same. reflexivity.
      - apply iterate_below. intros i x i_lt. apply IH. intros rs INSIDE.
        specialize (same (i :: rs)). cbn [rev] in same. rewrite <- app_assoc in same. cbn [app] in same.
        apply same. constructor; assumption.
    Qed.

    Context (loops axes : list size) (s : subscripts) (over : list nat).
    Context (fits : tab_ok loops axes s over = true).
    Context (t : nat) (st : list iterm) (iv kv : list nat) (SEES : sees st iv kv).
    Context (copy_is : copy = fun ps => body_val sg K (rev ps ++ iv) ts
               (ibody_at (with_vars (length over) st) (copied t loops axes s over (length st)))).

    Lemma retold_body r indices rs : below indices axes -> below rs (su_loops r) ->
      body_val sg K (rev rs ++ rev indices ++ kv) tensors_tab
        (su_body (retold t loops axes s over (length pre) r)) =
      body_val sg K (rev rs ++ rev indices ++ kv) ts (su_body r).
    Proof using fits SEES copy_is.
      intros INSIDE LOOPS. cbn [retold su_body]. apply retell_val. intros q q_is.
      unfold same_extents in q_is.
      destruct (list_eq_dec size_eq_dec (su_loops r) loops) as [same|]; [|discriminate].
      injection q_is as q_is. subst q. rewrite same in LOOPS.
      assert (ALL : below (rev rs ++ rev indices) (bounds loops axes))
        by (apply below_app; apply below_rev; assumption).
      assert (long := below_length sg _ _ ALL). rewrite app_assoc. split.
      - exact (picked_inside loops axes s over fits _ kv ALL).
      - rewrite (picked_at loops axes s over fits _ kv long), copy_is.
        exact (copied_val loops axes s over fits K ts t st iv kv _ SEES long).
    Qed.

    Lemma retold_fold r indices c a : below indices axes ->
      fold_val sg K (su_loops r) c (su_body (retold t loops axes s over (length pre) r))
        (rev indices ++ kv) tensors_tab a =
      fold_val sg K (su_loops r) c (su_body r) (rev indices ++ kv) ts a.
    Proof using fits SEES copy_is.
      intros INSIDE. apply fold_same. intros rs LOOPS. apply retold_body; assumption.
    Qed.

    Lemma retold_val r indices : below indices axes ->
      summand_val sg K (rev indices ++ kv) tensors_tab (retold t loops axes s over (length pre) r) =
      summand_val sg K (rev indices ++ kv) ts r.
    Proof using fits SEES copy_is.
      intros INSIDE. pose proof (retold_fold r indices (su_cond r) (cst K zero) INSIDE) as FOLD.
      pose proof (retold_body r indices [] INSIDE) as BODY.
      unfold summand_val. cbn [su_loops su_cond retold]. destruct r as [[|n inner] c b]; cbn [su_loops su_cond] in *.
      - cbn [rev app] in BODY. cbn [retold su_body] in BODY |- *. rewrite BODY by constructor. reflexivity.
      - exact FOLD.
    Qed.

    Lemma retold_element l indices : below indices axes ->
      element_val sg K (rev indices ++ kv) tensors_tab (map (retold t loops axes s over (length pre)) l) =
      element_val sg K (rev indices ++ kv) ts l.
    Proof using fits SEES copy_is.
      intros INSIDE. destruct l as [|r more]; [reflexivity|]. cbn [map element_val].
      rewrite (retold_val r indices INSIDE). generalize (summand_val sg K (rev indices ++ kv) ts r).
      induction more as [|q more IH]; intros a; [reflexivity|]. cbn [map fold_left].
      rewrite (retold_val q indices INSIDE). apply IH.
    Qed.
  End RETELL.

  Lemma agree_tab K shape shapes copy v pre vs ts :
    agree sg K shapes vs ts ->
    (forall indices, below indices shape -> v (map Ix indices) = copy indices) ->
    agree sg K (shapes_tab shape (length pre) shapes) (v :: pre ++ vs) (tensors_tab K copy pre ts).
  Proof using.
    intros AGREE COPY [|u] indices at_u.
    - cbn [nth_error shapes_tab nth] in *. apply COPY, at_u.
    - cbn [nth]. destruct (Nat.ltb_spec u (length pre)) as [inside|outside].
      + rewrite app_nth1 by exact inside. unfold read, tensors_tab. cbn [nth].
        rewrite app_nth1 by (rewrite map_length; exact inside).
        rewrite (nth_indep _ _ (tensor_of K (zero_value K))) by (rewrite map_length; exact inside).
        rewrite map_nth. reflexivity.
      + replace u with (length pre + (u - length pre)) in * by lia.
        rewrite shapes_tab_at in at_u. rewrite tensors_tab_at, app_nth2_plus. apply AGREE, at_u.
  Qed.
End INDICES.
