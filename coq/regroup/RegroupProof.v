(** A kernel that is checked to add the same terms in another order has the same value wherever
    addition has its laws.

    [unfolded_sound]     partial sums in place of what reads them
    [pieces_sound]       the pieces of a summand are its points, each once
    [statement_sound]    a statement and its counterpart
    [regroups_sound]     the whole kernel *)

From Coq Require Import Arith ZArith List Bool Lia.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics array.Typing.
From Vouch Require Import index.Kernel index.Lower index.LowerProof.
From Vouch Require Import adjoint.Points adjoint.Entail adjoint.Rings adjoint.Tangent adjoint.Substitute.
From Vouch Require Import adjoint.Equal adjoint.Decide adjoint.Tensors.
From Vouch Require Import regroup.Additive regroup.Regroup.
Import ListNotations.

(** ** Points *)

Lemma points_tail ns : forall iv, points ns iv = map (fun v => v ++ iv) (points ns []).
Proof.
  induction ns as [|n ns IHns]; intros iv; cbn [points]; [reflexivity|].
  rewrite !flat_map_concat_map, concat_map, map_map. f_equal. apply map_ext. intros i.
  rewrite (IHns (i :: iv)), (IHns [i]), map_map. apply map_ext. intros v.
  now rewrite <- app_assoc.
Qed.

Lemma app_tails {A} (a b x y : list A) : a ++ x = b ++ y -> length x = length y -> x = y.
Proof.
  intros same size. assert (heads : length a = length b).
  { apply (f_equal (@length A)) in same. rewrite !app_length in same. lia. }
  apply (f_equal (skipn (length a))) in same.
  rewrite skipn_app, skipn_all, Nat.sub_diag, heads, skipn_app, skipn_all, Nat.sub_diag in same. exact same.
Qed.

Lemma points_suffix ns ms v z : In (v ++ z) (points (ns ++ ms) []) -> length z = length ns ->
  In (v ++ z) (points ms z).
Proof.
  rewrite points_app, in_flat_map. intros (y & y_in & inside) size.
  enough (z = y) as -> by exact inside.
  pose proof (points_length _ _ _ y_in) as y_size. cbn in y_size.
  apply points_in in inside as (u & same & _). apply (app_tails _ _ _ _ same). lia.
Qed.

Lemma firstn_nth {A} (d : A) a n l : a + n <= length l ->
  map (fun i => nth i l d) (seq a n) = firstn n (skipn a l).
Proof.
  intros size. assert (long : n <= length (skipn a l)) by (rewrite skipn_length; lia).
  apply nth_ext with (d := nth 0 l d) (d' := d); rewrite map_length, seq_length.
  - now rewrite firstn_length_le.
  - intros k k_lt. rewrite map_nth with (f := fun i => nth i l d), seq_nth by assumption.
    rewrite <- nth_skipn_shift, <- (firstn_skipn n (skipn a l)) at 1. apply app_nth1.
    now rewrite firstn_length_le.
Qed.

Section VALUES.
  Context (sg : nat -> nat) (K : scalars) (ADDS : additive K).

  Notation lsum := (lsum K).
  Notation "0" := (cst K zero).
  Notation loop_values := (loop_values sg).
  Notation term_of := (sum_at K sg K (fun x => x)).

  Lemma variables_point a n w : a + n <= length w -> point (variables a n) sg w = firstn n (skipn a w).
  Proof using Type.
    intros size. unfold point, variables. rewrite map_map. rewrite <- (firstn_nth 0%nat) by assumption.
    apply map_ext. intros i. cbn. apply Nat2Z.id.
  Qed.

  Lemma variables_nonneg a n w : Forall (fun t => 0 <= iterm_val sg w t)%Z (variables a n).
  Proof using Type.
    unfold variables. apply Forall_map. apply Forall_forall. intros i _. cbn. lia.
  Qed.

  Lemma point_app a b w : point (a ++ b) sg w = point a sg w ++ point b sg w.
  Proof using Type. unfold point. apply map_app. Qed.

  Lemma front_point v w : point (variables 0 (length v)) sg (v ++ w) = v.
  Proof using Type.
    rewrite variables_point by (rewrite app_length; lia). cbn [skipn].
    rewrite firstn_app, firstn_all, Nat.sub_diag. cbn. apply app_nil_r.
  Qed.

  Lemma back_point v w : point (variables (length v) (length w)) sg (v ++ w) = w.
  Proof using Type.
    rewrite variables_point by (rewrite app_length; lia).
    rewrite skipn_app, skipn_all, Nat.sub_diag. cbn. apply firstn_all.
  Qed.

  (** What is read inside has no negative subscripts. *)
  Lemma inside_nonneg w s : all_inside sg w s = true -> Forall (fun p => 0 <= iterm_val sg w (fst p))%Z s.
  Proof using Type.
    unfold all_inside, inside. rewrite forallb_forall. intros all. apply Forall_forall. intros p p_in.
    specialize (all p p_in). apply andb_true_iff in all as [low _]. now apply Z.leb_le.
  Qed.

  (** ** Partial sums in place *)

  Section UNFOLD.
    Context (G : list (tensor K)).

    Notation value_of u z := (lsum (points (loop_values u) z) (term_of G u)).

    Lemma unfolded_term rank u s r v w :
      length v = length (su_loops r) -> length w = rank + length (su_loops u) ->
      term_of G (unfolded_once rank u s r) (v ++ w) =
      if icond_val sg w (su_cond u) && all_inside sg w s
      then term_of G r (v ++ rev (places sg w s)) else 0.
    Proof using Type.
      intros v_size w_size. unfold sum_at, unfolded_once. cbn [su_cond su_body icond_val cond_at].
      rewrite <- v_size, <- w_size.
      rewrite <- !(cond_at_val _ _ _ (variables_nonneg (length v) (length w) (v ++ w))), back_point, in_tensor_val.
      destruct (icond_val sg w (su_cond u) && all_inside sg w s) eqn:reads; [|reflexivity]. cbn [andb].
      apply andb_true_iff in reads as [_ inside].
      set (m := variables 0 (length v) ++ _).
      assert (subscripts : forall p : iterm * size,
        iterm_val sg (v ++ w) (term_at (variables (length v) (length w)) (fst p)) = iterm_val sg w (fst p)).
      { intros p. rewrite <- term_at_val by apply variables_nonneg. now rewrite back_point. }
      assert (m_nonneg : Forall (fun t => 0 <= iterm_val sg (v ++ w) t)%Z m).
      { apply Forall_app. split; [apply variables_nonneg|]. apply Forall_map, Forall_rev.
        apply Forall_forall. intros p p_in. rewrite subscripts.
        now apply (proj1 (Forall_forall _ _) (inside_nonneg w s inside)). }
      rewrite <- (cond_at_val m sg _ m_nonneg), <- (body_at_val m sg _ m_nonneg).
      enough (point m sg (v ++ w) = v ++ rev (places sg w s)) as -> by reflexivity.
      unfold m. rewrite point_app, front_point. f_equal. unfold point, places. rewrite map_map, <- map_rev.
      apply map_ext. intros p. now rewrite subscripts.
    Qed.

    Theorem unfolded_once_sound rank u t s rs z : su_body u = BRead t s -> length z = rank ->
      (forall at_, read K G t at_ = lsum rs (fun r => value_of r (rev at_))) ->
      value_of u z = lsum rs (fun r => value_of (unfolded_once rank u s r) z).
    Proof using ADDS.
      intros body rank_is sums.
      transitivity (lsum rs (fun r => lsum (points (loop_values u) z) (fun w =>
        lsum (points (loop_values r) w) (term_of G (unfolded_once rank u s r))))).
      - rewrite additive_exchange by assumption. apply lsum_ext. intros w w_in.
        assert (w_size : length w = rank + length (su_loops u)).
        { rewrite (points_length _ _ _ w_in). unfold Rings.loop_values. rewrite map_length. lia. }
        transitivity (lsum rs (fun r => if icond_val sg w (su_cond u) && all_inside sg w s
                                        then value_of r (rev (places sg w s)) else 0)).
        + unfold sum_at at 1. rewrite body. cbn [body_val].
          destruct (icond_val sg w (su_cond u)), (all_inside sg w s); cbn [andb];
            [apply sums|symmetry; now apply additive_zeros ..].
        + apply lsum_ext. intros r _. rewrite (points_tail _ w), (points_tail _ (rev _)), !lsum_map.
          destruct (_ && _) eqn:reads.
          * apply lsum_ext. intros v v_in. rewrite unfolded_term, reads; [reflexivity| |assumption].
            rewrite (points_length _ _ _ v_in). unfold Rings.loop_values. rewrite map_length. cbn. lia.
          * symmetry. apply additive_zeros; [assumption|]. intros v v_in.
            rewrite unfolded_term, reads; [reflexivity| |assumption].
            rewrite (points_length _ _ _ v_in). unfold Rings.loop_values. rewrite map_length. cbn. lia.
      - apply lsum_ext. intros r _. unfold Rings.loop_values. cbn [unfolded_once su_loops].
        now rewrite map_app, points_app, additive_flat_map.
    Qed.

    Context (partial : nat -> bool) (summands_of : nat -> list summand).
    Context (SUMS : forall t at_, partial t = true ->
      read K G t at_ = lsum (summands_of t) (fun r => value_of r (rev at_))).

    Theorem unfolded_sound fuel : forall rank u z, length z = rank ->
      value_of u z = lsum (unfolded partial summands_of fuel rank u) (fun v => value_of v z).
    Proof using ADDS SUMS.
      assert (alone : forall u z, value_of u z = lsum [u] (fun v => value_of v z)).
      { intros u z. cbn. rewrite (additive_comm K ADDS). symmetry. apply (additive_zero K ADDS). }
      induction fuel as [|fuel IHfuel]; intros rank u z rank_is; [apply alone|]. cbn [unfolded].
      destruct (su_body u) as [| |t s| | | | |] eqn:body; try apply alone.
      destruct (partial t) eqn:is_partial; [|apply alone].
      rewrite additive_flat_map by assumption.
      rewrite (unfolded_once_sound rank u t s (summands_of t) z body rank_is (fun at_ => SUMS t at_ is_partial)).
      apply lsum_ext. intros r _. now apply IHfuel.
    Qed.
  End UNFOLD.

  (** ** Pieces *)

  Section PIECES.
    Context (facts : list fact) (FACTS : facts_hold sg facts) (extents : list size) (G : list (tensor K)).
    Context (z : list nat) (INSIDE : In z (points (sizes_val sg extents) [])).

    Let z_size : length z = length extents.
    Proof using INSIDE. rewrite (points_length _ _ _ INSIDE). unfold sizes_val. rewrite map_length. cbn. lia. Qed.

    Notation value_of u := (lsum (points (loop_values u) z) (term_of G u)).
    Definition part_of (u : summand) (c : icond) (w : list nat) : num K :=
      if icond_val sg w (CAnd (su_cond u) c) then body_val sg K w G (su_body u) else 0.

    Lemma loops_in_box u w : In w (points (loop_values u) z) ->
      In w (points (sizes_val sg (extents ++ su_loops u)) []) /\
      length w = length (su_loops u) + length extents.
    Proof using INSIDE z_size.
      intros w_in. split.
      - unfold sizes_val. rewrite map_app, points_app. apply in_flat_map. now exists z.
      - rewrite (points_length _ _ _ w_in), z_size. unfold Rings.loop_values. now rewrite map_length.
    Qed.

    (** Index terms for the loops, the statement's own indices: a point under the same indices. *)
    Lemma whole_lands u w m loops : In w (points (loop_values u) z) -> length m = length loops ->
      icond_val sg w (lands (extents ++ loops) (whole extents m (length (su_loops u)))) = true ->
      Forall (fun t => 0 <= iterm_val sg w t)%Z (whole extents m (length (su_loops u))) /\
      In (point (whole extents m (length (su_loops u))) sg w) (points (map (size_val sg) loops) z).
    Proof using INSIDE z_size.
      intros w_in size landed. destruct (loops_in_box u w w_in) as [_ w_size].
      apply lands_point in landed as [lows inside].
      2: { unfold whole, variables. rewrite !app_length, map_length, seq_length. lia. }
      split; [exact lows|]. unfold whole in inside |- *. rewrite point_app in inside |- *.
      assert (same : point (variables (length (su_loops u)) (length extents)) sg w = z).
      { apply points_in in w_in as (v & -> & _). rewrite app_length, z_size in w_size.
        replace (length (su_loops u)) with (length (rev v)) by lia. rewrite <- z_size. apply back_point. }
      rewrite same in inside |- *. unfold sizes_val in inside. rewrite map_app in inside.
      apply points_suffix in inside; [exact inside|]. rewrite map_length. exact z_size.
    Qed.

    Lemma granted_sound l : forall p p1, granted facts p l = Some p1 ->
      forall w, icond_val sg w p = true -> icond_val sg w p1 = true.
    Proof using FACTS.
      induction l as [|c l IHl]; intros p p1; cbn [granted]; [now injection 1 as <-|].
      destruct (follows facts p c) eqn:first; [|discriminate]. intros more w p_true.
      apply (IHl _ _ more). cbn [icond_val]. rewrite p_true.
      exact (entails_by_cases_sound _ sg _ _ _ FACTS first w p_true).
    Qed.

    Theorem piece_sound u part v c : piece_ok facts extents u part v c = true ->
      lsum (points (loop_values u) z) (part_of u part) = value_of v.
    Proof using ADDS FACTS INSIDE z_size.
      unfold piece_ok. rewrite !andb_true_iff, !Nat.eqb_eq. intros [[to_size from_size] both].
      destruct (granted facts _ (pc_here c)) as [p|] eqn:here; [|discriminate].
      destruct (granted facts _ (pc_there c)) as [q|] eqn:there; [|discriminate].
      pose proof (granted_sound _ _ _ here) as here'. pose proof (granted_sound _ _ _ there) as there'.
      clear here there. rewrite !andb_true_iff in both.
      destruct both as [[[[[[to_lands to_cond] to_returns] from_lands] from_cond] from_returns] bodies].
      pose proof (entails_by_cases_sound _ sg _ _ _ FACTS to_lands) as to_lands'.
      pose proof (entails_by_cases_sound _ sg _ _ _ FACTS to_cond) as to_cond'.
      pose proof (entails_by_cases_sound _ sg _ _ _ FACTS to_returns) as to_returns'.
      pose proof (entails_by_cases_sound _ sg _ _ _ FACTS from_lands) as from_lands'.
      pose proof (entails_by_cases_sound _ sg _ _ _ FACTS from_cond) as from_cond'.
      pose proof (entails_by_cases_sound _ sg _ _ _ FACTS from_returns) as from_returns'.
      clear to_lands to_cond to_returns from_lands from_cond from_returns.
      set (to := whole extents (pc_to c) (length (su_loops u))) in *.
      set (from := whole extents (pc_from c) (length (su_loops v))) in *.
      unfold part_of, sum_at.
      apply (lsum_reindex K ADDS _ _ _ _ _ _ (point to sg) (point from sg)); [apply points_once ..| |].
      - intros w w_in w_ok. destruct (loops_in_box u w w_in) as [w_box w_size].
        assert (holds : icond_val sg w (CAnd (in_box (extents ++ su_loops u)) (CAnd (su_cond u) part)) = true).
        { cbn [icond_val]. rewrite (in_box_val _ _ _ w_box). exact w_ok. }
        apply here' in holds.
        destruct (whole_lands u w (pc_to c) (su_loops v) w_in to_size (to_lands' w holds)) as [lows inside].
        split; [exact inside|]. split.
        + rewrite cond_at_val by exact lows. now apply to_cond'.
        + apply returns_point; [|exact lows|now apply to_returns'].
          unfold from, whole, variables. rewrite app_length, map_length, seq_length. lia.
      - intros y y_in y_ok. destruct (loops_in_box v y y_in) as [y_box y_size].
        assert (holds : icond_val sg y (CAnd (in_box (extents ++ su_loops v)) (su_cond v)) = true).
        { cbn [icond_val]. rewrite (in_box_val _ _ _ y_box). exact y_ok. }
        apply there' in holds.
        destruct (whole_lands v y (pc_from c) (su_loops u) y_in from_size (from_lands' y holds)) as [lows inside].
        split; [exact inside|]. split; [|split].
        + rewrite cond_at_val by exact lows. now apply from_cond'.
        + apply returns_point; [|exact lows|now apply from_returns'].
          unfold to, whole, variables. rewrite app_length, map_length, seq_length. lia.
        + rewrite body_at_val by exact lows.
          exact (same_body_sound facts _ sg K G y FACTS holds _ _ bodies).
    Qed.

    Lemma pieces_sound u pieces : forall rest l after, pieces_ok facts extents u rest pieces l = Some after ->
      exists used, l = used ++ after /\
        lsum (points (loop_values u) z) (part_of u rest) = lsum used (fun v => value_of v).
    Proof using ADDS FACTS INSIDE z_size.
      induction pieces as [|c pieces IH]; intros rest l after; cbn [pieces_ok]; [discriminate|].
      destruct pieces as [|d pieces].
      - destruct l as [|v l]; [discriminate|].
        destruct (piece_ok facts extents u rest v c) eqn:ok; [|discriminate].
        injection 1 as <-. exists [v]. split; [reflexivity|]. rewrite (piece_sound _ _ _ _ ok). cbn.
        rewrite (additive_comm K ADDS). symmetry. apply (additive_zero K ADDS).
      - destruct l as [|v l]; [discriminate|].
        destruct (piece_ok facts extents u (CAnd rest (pc_where c)) v c) eqn:ok; [|discriminate].
        intros more. apply IH in more as (used & -> & same). exists (v :: used). split; [reflexivity|].
        cbn [fsum]. rewrite <- same, <- (piece_sound _ _ _ _ ok).
        rewrite (additive_split K ADDS (fun w => icond_val sg w (pc_where c))). f_equal; apply lsum_ext; intros w _;
          unfold part_of; cbn [icond_val]; destruct (icond_val sg w (pc_where c)); cbn [negb];
          now rewrite ?andb_true_r, ?andb_false_r.
    Qed.

    Theorem taken_apart_sound us : forall pieces l, taken_apart facts extents us pieces l = true ->
      lsum us (fun u => value_of u) = lsum l (fun v => value_of v).
    Proof using ADDS FACTS INSIDE z_size.
      induction us as [|u us IH]; intros [|p pieces] l; cbn [taken_apart]; try discriminate.
      - destruct l; [reflexivity|discriminate].
      - destruct (pieces_ok facts extents u CTrue p l) as [after|] eqn:ok; [|discriminate]. intros more.
        destruct (pieces_sound u p CTrue l after ok) as (used & -> & same).
        rewrite additive_app by assumption. cbn [fsum]. rewrite <- (IH _ _ more), <- same. f_equal.
        apply lsum_ext. intros w _. unfold sum_at, part_of. cbn [icond_val]. now rewrite andb_true_r.
    Qed.
  End PIECES.

  (** ** Reads of locals, with their own extents *)

  Section READS.
    Context (extents_of : nat -> option (list size)) (rho : nat -> nat) (ts G : list (tensor K)).
    Context (READ : forall t at_, match extents_of t with Some e => below sg at_ e | None => True end ->
      read K ts t at_ = read K G (rho t) at_).

    Lemma known_read t s at_ : known extents_of t s = true -> below sg at_ s ->
      read K ts t at_ = read K G (rho t) at_.
    Proof using READ.
      unfold known. intros same at_below. apply READ. destruct (extents_of t) as [e|]; [|exact I].
      unfold below in *. apply (same_sizes_sound sg) in same. unfold sizes_val in same. now rewrite <- same.
    Qed.

    Lemma known_body w b : reads_known extents_of b = true ->
      body_val sg K w ts b = body_val sg K w G (body_rename rho b).
    Proof using READ.
      induction b as [c|i|t s|x IHx n t s r|o a IHa|o a IHa c IHc|o a IHa c IHc d IHd|g a IHa c IHc];
        cbn [reads_known body_val body_rename]; rewrite ?andb_true_iff; intros ok; try reflexivity.
      - destruct (all_inside sg w s) eqn:inside; [|reflexivity].
        apply (known_read t (map snd s) _ ok). exact (positions_below sg w s inside).
      - destruct ok as [ok_x ok_t]. rewrite (IHx ok_x). apply gathered_ext. intros k k_lt. unfold element_at.
        destruct (all_inside sg w s) eqn:before, (all_inside sg w r) eqn:after; cbn [andb]; try reflexivity.
        apply (known_read t _ _ ok_t). unfold below, in_bounds. rewrite map_app. cbn [map].
        apply Forall2_app; [exact (positions_below sg w s before)|].
        constructor; [exact k_lt|exact (positions_below sg w r after)].
      - now rewrite IHa.
      - now rewrite IHa, IHc by apply ok.
      - now rewrite IHa, IHc, IHd by apply ok.
      - now rewrite IHa, IHc by apply ok.
    Qed.
  End READS.
End VALUES.

(** ** Kernels *)

Section KERNELS.
  Context (k g : ikernel) (w : witness) (CHECKED : regroups k g w = true).
  Context (sg : nat -> nat) (FACTS : facts_hold sg (ik_facts k)) (K : scalars) (ADDS : additive K).
  Context (xs : list (tensor K)).

  Notation lsum := (lsum K).
  Notation own := (own_locals k).
  Notation all := (all_locals g).
  Let LK := locals_val sg K xs (ik_locals k).
  Let LG := locals_val sg K xs (ik_locals g).
  Notation value_of u z := (lsum (points (loop_values sg u) z) (sum_at K sg K (fun x => x) LG u)).

  (** A local of g, by its summands in the numbering of the output's statement. *)
  Lemma local_value q at_ : q < all ->
    read K LG q at_ = lsum (local_summands g q) (fun u => value_of u (rev at_)).
  Proof using ADDS.
    intros q_lt. unfold LG. rewrite locals_read by exact q_lt. fold LG (local g q). unfold statement_val.
    rewrite (element_rename_val (fun t => S q + t) sg K (skipn (S q) LG) LG
      (fun t i => f_equal (fun r => r i) (read_skipn K (S q) LG t))).
    now apply element_is_sum.
  Qed.

  Lemma partial_value t at_ : partial g w t = true ->
    read K LG t at_ = lsum (local_summands g t) (fun u => value_of u (rev at_)).
  Proof using ADDS.
    unfold partial. intros is_partial. apply andb_true_iff in is_partial as [t_lt _].
    now apply local_value, Nat.ltb_lt.
  Qed.

  Lemma inputs_read t at_ : own <= t -> read K LK t at_ = read K LG (counterpart k g w t) at_.
  Proof using Type.
    intros t_ge. unfold counterpart. destruct (Nat.ltb_spec t own) as [small|_]; [lia|].
    replace t with (length (ik_locals k) + (t - own)) at 1 by (unfold own_locals in *; lia).
    unfold LK, LG, all_locals. rewrite <- !read_skipn, !locals_inputs. reflexivity.
  Qed.

  (** What a statement of k defines, [later] locals from it on; [v]: what its counterpart does. *)
  Lemma statement_sound later s r rs pieces v :
    statement_ok k g w later s r rs pieces = true ->
    (forall t at_, match extents_in k later t with Some e => below sg at_ e | None => True end ->
      read K (skipn later LK) t at_ = read K LG (counterpart k g w (later + t)) at_) ->
    (forall at_, v at_ = lsum rs (fun u => value_of u (rev at_))) ->
    forall at_, below sg at_ (st_extents s) ->
    statement_val sg K (skipn later LK) s at_ = v at_.
  Proof using ADDS FACTS.
    unfold statement_ok. rewrite !andb_true_iff. intros [[_ known] apart] READ VALUE at_ at_below.
    unfold statement_val. rewrite element_is_sum by assumption. rewrite VALUE.
    assert (z_in : In (rev at_) (points (sizes_val sg (st_extents s)) [])).
    { apply points_in. exists at_. split; [now rewrite app_nil_r|exact at_below]. }
    assert (z_size : length (rev at_) = length (st_extents s)).
    { rewrite (points_length _ _ _ z_in). unfold sizes_val. rewrite map_length. cbn. lia. }
    transitivity (lsum (own_summands k g w later (st_summands s)) (fun u => value_of u (rev at_))).
    - unfold own_summands. rewrite lsum_map. apply lsum_ext. intros u u_in.
      apply lsum_ext. intros y _. unfold sum_at. cbn [summand_rename su_cond su_body].
      rewrite forallb_forall in known.
      now rewrite (known_body sg K (extents_in k later) (fun t => counterpart k g w (later + t)) _ LG READ y _ (known u u_in)).
    - rewrite (taken_apart_sound sg K ADDS (grounds k g) (grounds_hold sg k g FACTS) (st_extents s) LG (rev at_) z_in _ _ _ apart).
      unfold flat. rewrite additive_flat_map by assumption. apply lsum_ext. intros u _. symmetry.
      apply (unfolded_sound sg K ADDS LG (partial g w) (local_summands g) partial_value). exact z_size.
  Qed.

  Lemma locals_same n : forall p, own - p <= n -> p < own ->
    forall at_, below sg at_ (st_extents (local k p)) ->
    read K LK p at_ = read K LG (counterpart k g w p) at_.
  Proof using ADDS FACTS CHECKED.
    induction n as [|n IHn]; intros p near p_lt; [lia|]. intros at_ at_below.
    unfold regroups in CHECKED. rewrite !andb_true_iff in CHECKED. destruct CHECKED as [[_ locals] _].
    assert (p_in : In p (seq 0 own)) by (apply in_seq; lia).
    apply (proj1 (forallb_forall _ _) locals) in p_in as locals_p. clear locals.
    unfold local_ok in locals_p. apply andb_true_iff in locals_p as [q_lt ok]. apply Nat.ltb_lt in q_lt.
    unfold LK at 1. rewrite locals_read by exact p_lt. fold LK (local k p).
    unfold counterpart. rewrite (proj2 (Nat.ltb_lt _ _) p_lt).
    apply (statement_sound (S p) _ _ _ _ _ ok); [|intros i; now apply local_value|exact at_below].
    intros t i. unfold extents_in. rewrite read_skipn.
    destruct (Nat.ltb_spec (S p + t) own) as [more|beyond].
    - intros i_below. apply IHn; [lia|exact more|exact i_below].
    - intros _. now apply inputs_read.
  Qed.

  Theorem regrouped indices : below sg indices (st_extents (ik_output k)) ->
    ikernel_val sg K xs g indices = ikernel_val sg K xs k indices.
  Proof using ADDS FACTS CHECKED.
    intros inside. unfold ikernel_val. fold LK LG. symmetry.
    pose proof CHECKED as ok. unfold regroups in ok. rewrite !andb_true_iff in ok. destruct ok as [_ ok].
    change LK with (skipn 0 LK).
    apply (statement_sound 0 _ _ _ _ _ ok); [| |exact inside].
    - intros t i. unfold extents_in. cbn [skipn Nat.add].
      destruct (Nat.ltb_spec t own) as [local_t|beyond].
      + intros i_below. now apply (locals_same own); [lia|..].
      + intros _. now apply inputs_read.
    - intros i. unfold statement_val. now apply element_is_sum.
  Qed.
End KERNELS.

Theorem regroups_sound k g w : regroups k g w = true -> Regrouping k g.
Proof.
  intros checked sg FACTS K ADDS xs indices inside. now apply (regrouped k g w checked).
Qed.
