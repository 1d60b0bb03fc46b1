(** Copies of inputs leave the kernel as it is.

    [copied_ok]       the copy holds what the input holds
    [pack_correct]    the kernel that reads the copy computes the same, at every element
    [packs_to]        what a certificate with copies and tiles checks *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics certify.Certificate.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Plan index.PlanProof.
From Vouch Require Import index.Pack.
Import ListNotations.

Lemma same_axis_eq f g : same_axis f g = true -> g = f.
Proof.
  destruct f as [a x], g as [b y]. unfold same_axis. cbn [fst snd]. intros same.
  apply andb_true_iff in same as [here same]. apply Nat.eqb_eq in here.
  destruct (axis_eq_dec x y); [congruence | discriminate].
Qed.

Lemma place_in_ok f form default : found form f = true -> nth (place_in f form) form default = f.
Proof.
  unfold found. intros lt. apply Nat.ltb_lt in lt. induction form as [|g more IH]; [inversion lt|].
  cbn [place_in length] in *. destruct (same_axis f g) eqn:same; cbn [nth].
  - apply same_axis_eq, same.
  - apply IH. lia.
Qed.

Lemma nth_seq_map {A : Type} (default : A) l :
  map (fun a => nth a l default) (seq 0 (length l)) = l.
Proof.
  induction l as [|x l IHl]; [reflexivity|]. cbn [length seq map nth]. f_equal.
  rewrite <- seq_shift, map_map. exact IHl.
Qed.

Section PACK.
  Context (sg : nat -> nat) (K : scalars).
  Context (t : nat) (extents : list size) (form : arrangement) (OK : form_ok extents form = true).

  Notation iterm_val := (iterm_val sg).

  Lemma form_parts :
    (forall f, In f form -> fst f < length extents) /\
    (forall a, a < length extents -> axis_found form a = true).
  Proof using OK.
    pose proof OK as ok. unfold form_ok in ok. apply andb_true_iff in ok as [below all].
    rewrite forallb_forall in below, all. split.
    - intros f f_in. apply Nat.ltb_lt, below, f_in.
    - intros a a_lt. apply all, in_seq. lia.
  Qed.

  (** What is inside of the input is inside of the copy. *)
  Lemma axis_inside iv f x n : inside (iterm_val iv x) (size_val sg n) = true ->
    inside (iterm_val iv (axis_term f x)) (size_val sg (axis_size f n)) = true.
  Proof using.
    unfold inside. intros here. apply andb_true_iff in here as [low high].
    apply Z.leb_le in low. apply Z.ltb_lt in high. apply andb_true_iff.
    rewrite Z.leb_le, Z.ltb_lt. destruct f as [lo hi|w|w]; cbn [axis_term axis_size].
    - rewrite plus_size_val. cbn [size_val]. destruct lo as [|lo]; cbn [Kernel.iterm_val]; lia.
    - cbn [Kernel.iterm_val]. split; [apply Z.div_pos; lia|].
      destruct n as [v|c|a b|a b|p v]; try (apply Z.le_lt_trans with (m := iterm_val iv x);
        [apply Z.div_le_upper_bound; nia | exact high]).
      { cbn [size_val part_val] in *. rewrite Nat2Z.inj_add, Nat2Z.inj_div, positive_nat_Z.
        pose proof (Z.div_le_mono (iterm_val iv x) (Z.of_nat (sg v)) (Zpos w)). lia. }
      cbn [size_val] in *. rewrite N_nat_Z, N2Z.inj_div.
      apply Z.div_lt_upper_bound; [lia|].
      pose proof (Z.div_mod (Z.of_N (c + N.pos w - 1)) (Z.of_N (N.pos w)) ltac:(lia)) as split_c.
      pose proof (Z.mod_pos_bound (Z.of_N (c + N.pos w - 1)) (Z.of_N (N.pos w)) ltac:(lia)).
      lia.
    - cbn [Kernel.iterm_val size_val]. pose proof (Z.mod_pos_bound (iterm_val iv x) (Zpos w) ltac:(lia)).
      lia.
  Qed.

  Definition places (iv : list nat) (s : list (iterm * size)) : list nat :=
    map (fun p => Z.to_nat (iterm_val iv (fst p))) s.

  Section READ.
    Context (iv : list nat) (s : list (iterm * size)) (LONG : length s = length extents).

    Lemma arranged_inside : all_inside sg iv s = true -> all_inside sg iv (arranged form s) = true.
    Proof using OK LONG.
      destruct form_parts as [below _]. unfold all_inside. rewrite !forallb_forall. intros all p p_in.
      unfold arranged in p_in. apply in_map_iff in p_in as (f & p_is & f_in).
      rewrite <- p_is. cbn [fst snd]. apply axis_inside, all, nth_In. rewrite LONG. apply below, f_in.
    Qed.

    (** Each subscript of the input is found again. *)
    Lemma back_ok a : all_inside sg iv (arranged form s) = true -> a < length extents ->
      iterm_val (rev (places iv (arranged form s))) (axis_back form a) =
      iterm_val iv (fst (nth a s (ICon 0, SConst 0))).
    Proof using OK LONG.
      intros all a_lt. destruct form_parts as [_ known]. specialize (known a a_lt).
      set (x := fst (nth a s (ICon 0, SConst 0))).
      assert (AT : forall f, found form (a, f) = true ->
                iterm_val (rev (places iv (arranged form s)))
                  (IVar (length form - S (place_in (a, f) form))) = iterm_val iv (axis_term f x)).
      { intros f here. pose proof (place_in_ok (a, f) form (0, Lane 1) here) as is_f.
        unfold found in here. apply Nat.ltb_lt in here.
        assert (long : length (places iv (arranged form s)) = length form)
          by (unfold places, arranged; rewrite !map_length; reflexivity).
        cbn [Kernel.iterm_val]. rewrite rev_nth, long by lia.
        replace (length form - S (length form - S (place_in (a, f) form)))
          with (place_in (a, f) form) by lia.
        set (j := place_in (a, f) form) in *.
        set (arrange := fun g => let p := nth (fst g) s (ICon 0, SConst 0) in
                                 (axis_term (snd g) (fst p), axis_size (snd g) (snd p))).
        assert (entry : nth j (arranged form s) (arrange (0, Lane 1)) =
                        (axis_term f x, axis_size f (snd (nth a s (ICon 0, SConst 0))))).
        { unfold arranged. fold arrange. rewrite (map_nth arrange), is_f. reflexivity. }
        set (value := fun p : iterm * size => Z.to_nat (iterm_val iv (fst p))).
        unfold places. fold value.
        rewrite (nth_indep _ 0 (value (arrange (0, Lane 1)))) by (rewrite map_length; unfold arranged; rewrite map_length; exact here).
        rewrite (map_nth value), entry. unfold value. cbn [fst].
        unfold all_inside in all. rewrite forallb_forall in all.
        assert (one : inside (iterm_val iv (axis_term f x))
                        (size_val sg (axis_size f (snd (nth a s (ICon 0, SConst 0))))) = true).
        { specialize (all (nth j (arranged form s) (arrange (0, Lane 1)))).
          rewrite entry in all. apply all. rewrite <- entry. apply nth_In.
          unfold arranged. rewrite map_length. exact here. }
        unfold inside in one. apply andb_true_iff in one as [low _]. apply Z.leb_le in low. lia. }
      unfold axis_back, axis_found in *.
      destruct (find (fun g => fst g =? a) form) as [[b [lo hi|w|w]]|]; [| | | discriminate].
      - specialize (AT (Whole lo hi) known). destruct lo as [|lo]; cbn [axis_term] in AT.
        + exact AT.
        + cbn [Kernel.iterm_val] in *. rewrite AT. lia.
      - apply andb_true_iff in known as [block lane].
        pose proof (AT (Block w) block) as at_block. pose proof (AT (Lane w) lane) as at_lane.
        cbn [Kernel.iterm_val axis_term] in *. rewrite at_block, at_lane.
        symmetry. apply Z.div_mod. lia.
      - apply andb_true_iff in known as [block lane].
        pose proof (AT (Block w) block) as at_block. pose proof (AT (Lane w) lane) as at_lane.
        cbn [Kernel.iterm_val axis_term] in *. rewrite at_block, at_lane.
        symmetry. apply Z.div_mod. lia.
    Qed.
  End READ.

  (** The copy holds what the input holds, and zero around it. *)
  Lemma copied_ok ins iv s : map snd s = extents ->
    (if all_inside sg iv (arranged form s)
     then statement_val sg K ins (copied t extents form) (places iv (arranged form s))
     else cst K zero) =
    (if all_inside sg iv s then read K ins t (places iv s) else cst K zero).
  Proof using OK.
    intros s_is. assert (LONG : length s = length extents) by (rewrite <- s_is, map_length; reflexivity).
    destruct (all_inside sg iv (arranged form s)) eqn:new.
    - unfold statement_val, copied. cbn [st_summands element_val fold_left].
      unfold summand_val. cbn [su_loops su_cond su_body icond_val body_val].
      set (back := map (fun a => (axis_back form a, nth a extents (SConst 0))) (seq 0 (length extents))).
      assert (SAME : forall a, In a (seq 0 (length extents)) ->
                iterm_val (rev (places iv (arranged form s))) (axis_back form a) =
                iterm_val iv (fst (nth a s (ICon 0, SConst 0)))).
      { intros a a_in. apply in_seq in a_in. apply back_ok; [exact LONG | exact new | lia]. }
      assert (s_all : s = map (fun a => nth a s (ICon 0, SConst 0)) (seq 0 (length extents)))
        by (rewrite <- LONG; symmetry; apply nth_seq_map).
      assert (inside_same : all_inside sg (rev (places iv (arranged form s))) back = all_inside sg iv s).
      { rewrite s_all at 2. unfold all_inside, back. clear s_all.
        induction (seq 0 (length extents)) as [|a l IHl]; [reflexivity|].
        cbn [map forallb fst snd]. rewrite IHl by (intros b b_in; apply SAME; right; exact b_in).
        rewrite SAME by (left; reflexivity).
        replace (nth a extents (SConst 0)) with (snd (nth a s (ICon 0, SConst 0)))
          by (rewrite <- s_is; symmetry; exact (map_nth snd s (ICon 0, SConst 0) a)).
        reflexivity. }
      rewrite inside_same. destruct (all_inside sg iv s); [|reflexivity]. f_equal.
      transitivity (places iv (map (fun a => nth a s (ICon 0, SConst 0)) (seq 0 (length extents))));
        [|rewrite <- s_all; reflexivity].
      unfold back. unfold places at 2. rewrite !map_map. apply map_ext_in.
      intros a a_in. cbn [fst]. rewrite SAME by exact a_in. reflexivity.
    - destruct (all_inside sg iv s) eqn:old; [|reflexivity].
      rewrite (arranged_inside iv s LONG old) in new. discriminate.
  Qed.

  (** ts: m locals, then inputs; with the copy between them, these are us. *)
  Definition corresponds (m : nat) (ins ts us : list (tensor K)) : Prop :=
    (forall u indices, u < m -> read K us u indices = read K ts u indices) /\
    (forall u indices, m <= u -> read K us (S u) indices = read K ts u indices) /\
    (forall u indices, read K ts (m + u) indices = read K ins u indices) /\
    (forall indices, read K us m indices = statement_val sg K ins (copied t extents form) indices).

  Section BODY.
    Context (m : nat) (ins ts us : list (tensor K)) (SAME : corresponds m ins ts us).

    Lemma pack_body_ok iv b : body_fits t extents m b = true ->
      body_val sg K iv us (pack_body t form m b) = body_val sg K iv ts b.
    Proof using OK SAME.
      destruct SAME as (before & after & inputs & copy).
      induction b as [c|i|u s|x IHx n u s r|o a IHa|o a IHa c IHc|o a IHa c IHc d IHd|g a IHa c IHc];
        cbn [body_fits pack_body body_val]; intros fits;
        repeat match goal with
               | both : (_ && _)%bool = true |- _ => apply andb_true_iff in both as [? ?]
               end;
        rewrite ?IHx, ?IHa, ?IHc, ?IHd by assumption; try reflexivity.
      2: { apply gathered_ext. intros k k_lt. apply element_at_ext. intros indices.
        destruct (Nat.eqb_spec u (m + t)) as [|other]; [discriminate|].
        destruct (Nat.ltb_spec u m); [apply before | apply after]; assumption. }
      destruct (Nat.eqb_spec u (m + t)) as [u_is|other].
      - unfold same_extents in fits. destruct (list_eq_dec size_eq_dec (map snd s) extents) as [s_is|];
          [|discriminate].
        cbn [body_val]. rewrite u_is, copy, inputs. apply copied_ok, s_is.
      - cbn [body_val]. destruct (all_inside sg iv s); [|reflexivity].
        destruct (Nat.ltb_spec u m); [apply before | apply after]; assumption.
    Qed.

    Lemma pack_fold_ok b c loops : body_fits t extents m b = true -> forall iv a,
      fold_val sg K loops c (pack_body t form m b) iv us a = fold_val sg K loops c b iv ts a.
    Proof using OK SAME.
      intros fits. induction loops as [|n loops IH]; intros iv a; cbn [fold_val].
      - rewrite pack_body_ok by exact fits. reflexivity.
      - induction (size_val sg n) as [|j IHj]; cbn [iterate]; [reflexivity|]. rewrite IHj. apply IH.
    Qed.

    Lemma pack_summand_ok s iv : body_fits t extents m (su_body s) = true ->
      summand_val sg K iv us (pack_summand t form m s) = summand_val sg K iv ts s.
    Proof using OK SAME.
      intros fits. unfold summand_val, pack_summand. cbn [su_loops su_cond su_body].
      destruct (su_loops s); [rewrite pack_body_ok by exact fits; reflexivity|].
      apply pack_fold_ok, fits.
    Qed.

    Lemma pack_statement_ok s indices : statement_fits t extents m s = true ->
      statement_val sg K us (pack_statement t form m s) indices = statement_val sg K ts s indices.
    Proof using OK SAME.
      unfold statement_fits, statement_val, pack_statement. cbn [st_summands].
      destruct (st_summands s) as [|r more]; [reflexivity|]. cbn [forallb map element_val].
      intros fits. apply andb_true_iff in fits as [fits_r fits].
      rewrite pack_summand_ok by exact fits_r. generalize (summand_val sg K (rev indices) ts r).
      induction more as [|q more IH]; intros a; [reflexivity|].
      cbn [forallb map fold_left] in *. apply andb_true_iff in fits as [fits_q fits].
      rewrite pack_summand_ok by exact fits_q. apply IH, fits.
    Qed.
  End BODY.

  Lemma pack_locals_ok last indices l : forall m ins ts us, corresponds m ins ts us ->
    locals_fit t extents m l = true -> statement_fits t extents (m + length l) last = true ->
    statement_val sg K (locals_val sg K us (pack_locals t form m l))
      (pack_statement t form (m + length l) last) indices =
    statement_val sg K (locals_val sg K ts l) last indices.
  Proof using OK.
    induction l as [|s more IH]; intros m ins ts us SAME fits fits_last.
    - cbn [length] in *. rewrite Nat.add_0_r in *. cbn [pack_locals locals_val].
      apply (pack_statement_ok m ins ts us SAME), fits_last.
    - cbn [locals_fit] in fits. apply andb_true_iff in fits as [fits_s fits].
      cbn [pack_locals locals_val length] in *. rewrite <- Nat.add_succ_comm in *.
      apply (IH (S m) ins); [|exact fits | exact fits_last].
      pose proof SAME as (before & after & inputs & copy). split; [|split; [|split]].
      + intros [|u] at_u u_lt; [apply (pack_statement_ok m ins ts us SAME), fits_s|].
        apply before. lia.
      + intros [|u] at_u u_ge; [lia|]. apply after. lia.
      + intros u at_u. apply inputs.
      + intros at_u. apply copy.
  Qed.

  Lemma pack_correct k ins indices : pack_fits t extents form k = true ->
    ikernel_val sg K ins (pack t extents form k) indices = ikernel_val sg K ins k indices.
  Proof using OK.
    unfold pack_fits. intros fits. apply andb_true_iff in fits as [fits fits_last].
    apply andb_true_iff in fits as [_ fits]. unfold ikernel_val, pack.
    cbn [ik_locals ik_output locals_val].
    apply (pack_locals_ok (ik_output k) indices (ik_locals k) 0 ins); [|exact fits | exact fits_last].
    split; [|split; [|split]].
    - intros u at_u u_lt. lia.
    - intros u at_u _. reflexivity.
    - intros u at_u. reflexivity.
    - intros at_u. reflexivity.
  Qed.
End PACK.

Lemma packed_correct sg K ins indices l : forall k, packing_fits l k = true ->
  ikernel_val sg K ins (packed l k) indices = ikernel_val sg K ins k indices.
Proof.
  induction l as [|[[t extents] form] more IH]; intros k fits; [reflexivity|].
  cbn [packing_fits packed] in *. apply andb_true_iff in fits as [fits_t fits].
  rewrite IH by exact fits. apply pack_correct; [|exact fits_t].
  unfold pack_fits in fits_t. apply andb_true_iff in fits_t as [fits_t _].
  apply andb_true_iff in fits_t as [ok _]. exact ok.
Qed.

Lemma packed_same l : forall k,
  ik_facts (packed l k) = ik_facts k /\ ik_inputs (packed l k) = ik_inputs k /\
  st_extents (ik_output (packed l k)) = st_extents (ik_output k).
Proof.
  induction l as [|[[t extents] form] more IH]; intros k; [auto|]. cbn [packed].
  destruct (IH (pack t extents form k)) as (facts & inputs & output).
  rewrite facts, inputs, output. auto.
Qed.

Lemma packed_computes l ik k : packing_fits l ik = true -> ComputesIndex (packed l ik) k -> ComputesIndex ik k.
Proof.
  intros fits (facts & inputs & output & VALUE).
  destruct (packed_same l ik) as (same_facts & same_inputs & same_output).
  rewrite same_facts in *. rewrite same_inputs in *. rewrite same_output in *.
  split; [exact facts|]. split; [exact inputs|]. split; [exact output|].
  intros sg FACTS K m indices INSIDE. rewrite (VALUE sg FACTS K m indices INSIDE).
  apply packed_correct, fits.
Qed.

(** As [tiles_to], with copies of inputs. *)
Definition packs_to (l : packing) (p : plan) (ik : ikernel) (k : source) : Prop :=
  packing_fits l ik = true /\ tiles_to p (packed l ik) k.

Theorem packs_to_sound l p ik k : packs_to l p ik k -> ComputesIndex ik k.
Proof.
  intros [fits TILES]. exact (packed_computes l ik k fits (tiles_to_sound _ _ _ TILES)).
Qed.
