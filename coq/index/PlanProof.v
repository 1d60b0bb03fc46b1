(** Whatever the plan, the program computes the kernel.

    [planned_ok]        every element is the sum that is left, onto what it goes on from
    [tiled_correct]     the program's value is the kernel's, at every element of the output *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics array.Typing array.Check.
From Vouch Require Import array.IndexProof certify.Certificate.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Tile index.TileProof.
From Vouch Require Import index.Tabulate index.TabulateProof index.Finish index.FinishProof.
From Vouch Require Import index.Plan index.PlanIndices.
Import ListNotations.

Section VALUES.
  Context (sg : nat -> nat) (K : scalars).
  Context (facts : list fact) (FACTS : facts_hold sg facts).

  Notation below := (below sg).
  Notation sees := (sees sg).
  Notation eval := (eval sg K).
  Notation end_val := (end_val sg K).

  (** [before]: what is there. *)
  Definition work_val (kv : list nat) (ts : list (tensor K)) (w : work) (before : num K) : num K :=
    match w with
    | Whole l => element_val sg K kv ts l
    | Onto loops c b => fold_val sg K loops c b kv ts before
    end.

  Definition work_reads (shapes : list (list size)) (w : work) : bool :=
    match w with
    | Whole l => forallb (fun r => body_reads_ok shapes (su_body r)) l
    | Onto _ _ b => body_reads_ok shapes b
    end.

  Lemma work_at_reads shapes st w : work_reads shapes w = true -> work_reads shapes (work_at st w) = true.
  Proof using.
    destruct w as [l|loops c b]; cbn [work_at work_reads]; [|rewrite body_at_reads; auto].
    rewrite !forallb_forall. intros ok s s_in. apply in_map_iff in s_in as (r & s_is & r_in).
    rewrite <- s_is. cbn [summand_at su_body]. rewrite body_at_reads. apply ok, r_in.
  Qed.

  Lemma work_at_val ts st iv kv w before : sees st iv kv ->
    work_val iv ts (work_at st w) before = work_val kv ts w before.
  Proof using.
    intros SEES. destruct w as [l|loops c b]; cbn [work_at work_val].
    - apply element_at_val, SEES.
    - apply fold_at_val, SEES.
  Qed.

  Lemma whole_at_val ts st iv kv l f before1 before2 : sees st iv kv ->
    end_val iv ts (ibody_at st f) (work_val iv ts (work_at st (Whole l)) before1) =
    end_val kv ts f (work_val kv ts (Whole l) before2).
  Proof using.
    intros SEES. rewrite (work_at_val ts st iv kv (Whole l) before1 SEES). exact (end_at_val sg K st iv kv ts f _ SEES).
  Qed.

  Lemma end_at_reads shapes st f : body_reads_ok ([] :: shapes) f = true ->
    body_reads_ok ([] :: shapes) (ibody_at st f) = true.
  Proof using. rewrite body_at_reads. auto. Qed.

  Lemma sum_of_val ts w loops c b kv before : sum_of w = Some (loops, c, b) ->
    work_val kv ts w before =
    fold_val sg K loops c b kv ts (match w with Whole _ => cst K zero | Onto _ _ _ => before end).
  Proof using.
    destruct w as [[|[[|n inner] c1 b1] [|r more]]|loops1 c1 b1]; try discriminate;
      intros is_sum; injection is_sum; intros; subst; reflexivity.
  Qed.

  Lemma sum_of_reads shapes w loops c b : sum_of w = Some (loops, c, b) ->
    work_reads shapes w = true -> body_reads_ok shapes b = true.
  Proof using.
    destruct w as [[|[[|n inner] c1 b1] [|r more]]|loops1 c1 b1]; try discriminate;
      intros is_sum; injection is_sum; intros; subst; cbn [work_reads forallb su_body] in *; auto.
    match goal with H : _ && true = true |- _ => rewrite andb_true_r in H; exact H end.
  Qed.

  Lemma is_sum_loops w n loops c b : sum_of w = Some (loops, c, b) -> is_sum w n = true ->
    loops = SConst n :: tl loops.
  Proof using.
    unfold is_sum. intros is. rewrite is. destruct loops as [|[v|e|x y|x y|p v] inner]; try discriminate.
    intros same. apply N.eqb_eq in same. subst e. reflexivity.
  Qed.

  Lemma start_of_val iv vals w d start p :
    eval iv vals (start_of w d start) p =
    match w with Whole _ => cst K zero | Onto _ _ _ => eval iv vals start p end.
  Proof using. destruct w; reflexivity. Qed.

  (** What [part_at] leaves is a sum. *)
  Lemma part_at_reads shapes st n loops c b : body_reads_ok shapes b = true ->
    work_reads shapes (part_at st n (loops, c, b)) = true.
  Proof using. intros ok. cbn [part_at work_reads]. rewrite body_at_reads. exact ok. Qed.

  Section STATEMENT.
    Context (shapes : list (list size)) (vs : list (value K)) (ts : list (tensor K)).
    Context (AGREE : agree sg K shapes vs ts).

    Lemma each_ok m env l q : forall before, length before = m ->
      lay_path sg env (each m l) (map Ix before ++ q) = map Ix before ++ lay_path sg env l q.
    Proof using.
      induction m as [|m IHm]; intros [|x before] m_is; try discriminate; [reflexivity|].
      cbn [each map app lay_path]. rewrite IHm by (injection m_is; auto). reflexivity.
    Qed.

    Lemma to_front_ok d : forall m e iv vals i before ps after, length before = m -> length ps = d ->
      eval iv vals (to_front m d e) (map Ix before ++ Ix i :: map Ix ps ++ after) =
      eval iv vals e (map Ix before ++ map Ix ps ++ Ix i :: after).
    Proof using.
      induction d as [|d IHd]; intros m e iv vals i before [|p ps] after m_is d_is; try discriminate.
      - reflexivity.
      - cbn [to_front Semantics.eval map app]. rewrite each_ok by exact m_is. cbn [lay_path].
        specialize (IHd (S m) e iv vals i (before ++ [p]) ps after).
        rewrite map_app, <- !app_assoc in IHd. cbn [map app] in IHd. apply IHd.
        + rewrite app_length. cbn [length]. lia.
        + injection d_is. auto.
    Qed.

    Lemma to_back_ok d : forall e iv vals i ps after, length ps = d ->
      eval iv vals (to_back d e) (map Ix ps ++ Ix i :: after) =
      eval iv vals e (Ix i :: map Ix ps ++ after).
    Proof using.
      induction d as [|d IHd]; intros e iv vals i ps after d_is.
      - destruct ps; [reflexivity | discriminate].
      - destruct (exists_last (l := ps) ltac:(destruct ps; discriminate)) as (qs & q & ps_is). subst ps.
        rewrite app_length in d_is. cbn [length] in d_is.
        cbn [to_back Semantics.eval]. rewrite map_app, <- !app_assoc. cbn [map app].
        rewrite each_ok by lia. cbn [lay_path]. apply IHd. lia.
    Qed.

    Lemma leaf_value u w f start extents X lanes st pre indices li iv kv :
      work_reads shapes w = true -> body_reads_ok ([] :: shapes) f = true -> leaf_ok w = true ->
      below indices extents -> below li lanes -> below iv X -> sees st (li ++ iv) kv ->
      eval iv (pre ++ vs) (leaf facts u w f start extents X lanes st (length pre)) (map Ix (indices ++ rev li)) =
      end_val (rev indices ++ kv) ts f
        (work_val (rev indices ++ kv) ts w (eval iv (pre ++ vs) start (map Ix (indices ++ rev li)))).
    Proof using FACTS AGREE.
      intros ok ok_f fits INSIDE LANES BELOW SEES.
      assert (long := below_length sg _ _ INSIDE).
      assert (path : indices ++ rev li = rev (li ++ rev indices))
        by (rewrite rev_app_distr, rev_involutive; reflexivity).
      assert (TILE : below (li ++ rev indices) (lanes ++ rev extents))
        by (apply below_app; [exact LANES | apply below_rev, INSIDE]).
      pose proof (sees_in_tile sg extents indices long li iv st kv SEES) as ALL.
      rewrite app_assoc in ALL. rewrite path. unfold leaf. rewrite <- (below_length sg _ _ LANES).
      rewrite <- (end_at_val sg K _ _ _ ts f _ ALL).
      apply (finished_ok sg K facts FACTS shapes vs ts AGREE);
        [rewrite body_at_reads; exact ok_f | exact BELOW | exact TILE |].
      destruct w as [l|loops c b]; cbn [work_val work_reads] in *.
      - apply (tile_ok sg K facts FACTS shapes vs ts AGREE u); assumption.
      - apply (tile_fold_ok sg K facts FACTS shapes vs ts AGREE u); try assumption.
        destruct loops; discriminate.
    Qed.

    Lemma first_of (A : Type) (default : A) (l : list A) a : a < length l ->
      l = firstn a l ++ nth a l default :: skipn (S a) l.
    Proof using.
      revert a. induction l as [|x l IH]; intros [|a] a_lt; cbn [length] in a_lt; try lia; [reflexivity|].
      cbn [firstn nth skipn app]. f_equal. apply IH. lia.
    Qed.
  End STATEMENT.

  Lemma planned_ok p : forall shapes vs ts (AGREE : agree sg K shapes vs ts) simple w f start extents X lanes st pre indices li iv kv,
    (simple = true -> is_simple start = true) ->
    work_reads shapes w = true -> body_reads_ok ([] :: shapes) f = true ->
    plan_ok p w extents (length lanes) (length st) (length pre) simple (negb (is_itself f)) = true ->
    below indices extents -> below li lanes -> below iv X -> sees st (li ++ iv) kv ->
    eval iv (pre ++ vs) (planned facts p w f start extents X lanes st (length pre))
      (map Ix (indices ++ rev li)) =
    end_val (rev indices ++ kv) ts f
      (work_val (rev indices ++ kv) ts w (eval iv (pre ++ vs) start (map Ix (indices ++ rev li)))).
  Proof using FACTS.
    induction p as [u|k n q IH|k m b c q IH|n m q IHq r IHr|m b q IH|b q IH|a q IH|a b q IH|b q IH|m b q IH|n m q IHq r IHr|t over q IH|q IH];
      intros shapes vs ts AGREE simple w f start extents X lanes st pre indices li iv kv SIMPLE ok ok_f fits INSIDE LANES BELOW SEES;
      (assert (here : length lanes = length li) by (symmetry; apply (below_length sg), LANES));
      (assert (outer : length st = length kv) by (apply (sees_length sg _ _ _ SEES)));
      (assert (long := below_length sg _ _ INSIDE)).
    - apply (leaf_value shapes vs ts AGREE); assumption.
    - destruct extents as [|e more]; [discriminate|]. cbn [plan_ok] in fits.
      apply andb_true_iff in fits as [same fits].
      destruct (size_eq_dec n e) as [n_is|]; [subst e | discriminate].
      inversion INSIDE as [|i n1 rest more_is i_lt REST]. subst.
      assert (SEES_i : sees (with_var (length lanes) st) (li ++ i :: iv) (i :: kv)).
      { rewrite <- insert_app, here. apply with_var_sees; [rewrite app_length; lia | exact SEES]. }
      assert (outer_i : S (length st) = length (with_var (length lanes) st))
        by (unfold with_var; cbn [length]; rewrite map_length; reflexivity).
      rewrite outer_i in fits.
      cbn [planned tl rev]. rewrite <- app_assoc. cbn [app].
      destruct w as [l|loops c b]; cbn [map app Semantics.eval].
      + set (elem := fun r => eval iv (pre ++ vs) (zeros n) (Ix i :: r)).
        apply (IH shapes vs ts AGREE true (Whole l) f (EVar 0) more (n :: X) lanes _ (elem :: pre) rest li (i :: iv)
                 (i :: kv) (fun _ => eq_refl) ok ok_f fits REST LANES); [constructor; assumption | exact SEES_i].
      + set (elem := fun r => eval iv (pre ++ vs) start (Ix i :: r)).
        apply (IH shapes vs ts AGREE true (Onto loops c b) f (EVar 0) more (n :: X) lanes _ (elem :: pre) rest li
                 (i :: iv) (i :: kv) (fun _ => eq_refl) ok ok_f fits REST LANES); [constructor; assumption | exact SEES_i].
    - destruct extents as [|[v|e|x y|x y|p' v] more]; try discriminate. cbn [plan_ok] in fits.
      apply andb_true_iff in fits as [fits fits_q]. apply andb_true_iff in fits as [fits c_le].
      apply andb_true_iff in fits as [fits w_pos]. apply andb_true_iff in fits as [is_w e_is].
      destruct w as [l|]; [|discriminate]. apply N.eqb_eq in e_is.
      apply negb_true_iff, N.eqb_neq in w_pos. apply Nat.leb_le in c_le.
      inversion INSIDE as [|i n1 rest more_is i_lt REST]. subst. cbn [size_val] in i_lt.
      cbn [planned tl app map Semantics.eval rev lay_path].
      set (W := N.to_nat b). assert (W_pos : W <> 0) by lia.
      assert (i_is := Nat.div_mod i W W_pos). assert (j_lt := Nat.mod_upper_bound i W W_pos).
      set (ib := i / W) in *. set (j := i mod W) in *. cbn [size_val]. fold W. fold ib. fold j.
      assert (ib_lt : ib < N.to_nat m) by (apply Nat.div_lt_upper_bound; [exact W_pos | nia]).
      set (elem := fun r => eval iv (pre ++ vs) (zeros (SConst m)) (Ix ib :: r)).
      rewrite map_app.
      assert (li_is : map Ix (rev li) = map Ix (rev (skipn c li)) ++ map Ix (rev (firstn c li))).
      { rewrite <- map_app, <- rev_app_distr, firstn_skipn. reflexivity. }
      rewrite li_is, app_assoc, <- map_app.
      rewrite (to_front_ok (length more + (length lanes - c)) 0 _ (ib :: iv) (elem :: pre ++ vs) j []
                 (rest ++ rev (skipn c li)) (map Ix (rev (firstn c li))) eq_refl);
        [| rewrite app_length, rev_length, skipn_length, here, (below_length sg _ _ REST); reflexivity].
      cbn [map app]. change (Ix j :: map Ix (rev (firstn c li))) with (map Ix (j :: rev (firstn c li))).
      rewrite <- map_app, <- app_assoc, <- insert_rev, <- app_assoc. cbn [app work_val].
      assert (INSERTED : insert c j (li ++ ib :: iv) = insert c j li ++ ib :: iv) by (apply insert_left; lia).
      assert (c_in : c <= length (li ++ ib :: iv)) by (rewrite app_length; lia).
      apply (IH shapes vs ts AGREE simple (Whole l) f start more (SConst m :: X) (insert c (SConst b) lanes) _
                 (elem :: pre) rest (insert c j li) (ib :: iv) (i :: kv) SIMPLE ok ok_f);
        [| exact REST | apply below_insert; [exact LANES | exact j_lt] | constructor; assumption |].
      + cbn [length]. rewrite insert_length, map_length. exact fits_q.
      + rewrite <- INSERTED. constructor.
        * cbn [iterm_val]. rewrite insert_here by exact c_in.
          assert (outside := insert_nth j (li ++ ib :: iv) c (length lanes) 0 c_in).
          destruct (Nat.ltb_spec (length lanes) c) as [|_]; [lia|]. rewrite outside.
          rewrite here, app_nth2, Nat.sub_diag by lia. cbn [nth]. unfold W in i_is. nia.
        * rewrite <- map_map. apply lift_sees; [exact c_in|].
          rewrite <- insert_app, here. apply lift_sees; [rewrite app_length; lia | exact SEES].
    - destruct extents as [|e more]; [discriminate|]. cbn [plan_ok] in fits.
      apply andb_true_iff in fits as [fits fits_r]. apply andb_true_iff in fits as [fits fits_q].
      apply andb_true_iff in fits as [is_w e_is]. destruct w as [l|]; [|discriminate].
      apply (size_eqb_sound sg) in e_is. cbn [size_val] in e_is.
      inversion INSIDE as [|i n1 rest more_is i_lt REST]. subst. rewrite <- e_is in i_lt.
      cbn [length] in long. injection long as long.
      cbn [planned tl app map Semantics.eval].
      destruct (Nat.ltb_spec i (size_val sg n)) as [first|second].
      + change (Ix i :: map Ix (rest ++ rev li)) with (map Ix ((i :: rest) ++ rev li)).
        apply (IHq shapes vs ts AGREE simple (Whole l) f); try assumption. constructor; assumption.
      + change (Ix (i - size_val sg n) :: map Ix (rest ++ rev li))
          with (map Ix ((i - size_val sg n :: rest) ++ rev li)).
        assert (SHIFTED : sees (after (length (e :: more)) (length st) n)
                            (rev (i - size_val sg n :: rest) ++ kv) (rev (i :: rest) ++ kv))
          by (apply sees_after; [cbn [length]; lia | exact outer | lia]).
        set (A := after (length (e :: more)) (length st) n) in *.
        rewrite <- (is_itself_at A f) in fits_r. pose proof (end_at_reads shapes A f ok_f) as ok_A.
        rewrite (IHr shapes vs ts AGREE simple (work_at A (Whole l)) (ibody_at A f) start
                   (m :: more) X lanes st pre _ li iv kv); try assumption.
        * apply (whole_at_val ts A), SHIFTED.
        * apply (work_at_reads shapes _ (Whole l)), ok.
        * constructor; [lia | exact REST].
    - destruct extents as [|e more]; [discriminate|]. cbn [plan_ok] in fits.
      apply andb_true_iff in fits as [fits fits_q]. apply andb_true_iff in fits as [fits w_pos].
      apply andb_true_iff in fits as [is_w e_is]. destruct w as [l|]; [|discriminate].
      apply (size_eqb_sound sg) in e_is. cbn [size_val] in e_is. apply negb_true_iff, N.eqb_neq in w_pos.
      inversion INSIDE as [|i n1 rest more_is i_lt REST]. subst. rewrite <- e_is in i_lt.
      cbn [length] in long. injection long as long.
      cbn [planned tl app map Semantics.eval lay_path].
      set (W := N.to_nat b). assert (W_pos : W <> 0) by lia.
      assert (i_is := Nat.div_mod i W W_pos). assert (j_lt := Nat.mod_upper_bound i W W_pos).
      set (ib := i / W) in *. set (j := i mod W) in *. cbn [size_val]. fold W. fold ib. fold j.
      assert (ib_lt : ib < size_val sg m) by (apply Nat.div_lt_upper_bound; [exact W_pos | nia]).
      change (Ix ib :: Ix j :: map Ix (rest ++ rev li)) with (map Ix ((ib :: j :: rest) ++ rev li)).
      set (A := blocked (length (e :: more)) (length st) b) in *.
      rewrite <- (is_itself_at A f) in fits_q. pose proof (end_at_reads shapes A f ok_f) as ok_A.
      rewrite (IH shapes vs ts AGREE simple (work_at A (Whole l)) (ibody_at A f) start
                 (m :: SConst b :: more) X lanes st pre _ li iv kv); try assumption.
      + apply (whole_at_val ts A), sees_blocked; [cbn [length]; lia | exact outer | exact i_is].
      + apply (work_at_reads shapes _ (Whole l)), ok.
      + constructor; [exact ib_lt|]. constructor; [exact j_lt | exact REST].
    - destruct extents as [|e [|[v|c|x y|x y|p' v] more]]; try discriminate. cbn [plan_ok] in fits.
      apply andb_true_iff in fits as [fits fits_q]. apply andb_true_iff in fits as [is_w c_is].
      destruct w as [l|]; [|discriminate]. apply N.eqb_eq in c_is. subst c.
      inversion INSIDE as [|i n1 others more_is i_lt OTHERS]. subst.
      inversion OTHERS as [|j n2 rest rest_is j_lt REST]. subst. cbn [size_val] in j_lt.
      cbn [length] in long. injection long as long.
      cbn [planned hd tl app map Semantics.eval lay_path size_val].
      change (N.to_nat (N.pos b)) with (Pos.to_nat b) in *.
      set (k := i * Pos.to_nat b + j).
      change (Ix k :: map Ix (rest ++ rev li)) with (map Ix ((k :: rest) ++ rev li)).
      set (A := merged (length (e :: SConst (N.pos b) :: more)) (length st) b) in *.
      rewrite <- (is_itself_at A f) in fits_q. pose proof (end_at_reads shapes A f ok_f) as ok_A.
      rewrite (IH shapes vs ts AGREE simple (work_at A (Whole l)) (ibody_at A f) start
                 (times_size e (SConst (N.pos b)) :: more) X lanes st pre _ li iv kv); try assumption.
      + apply (whole_at_val ts A), sees_merged; [cbn [length]; lia | exact outer | exact j_lt].
      + apply (work_at_reads shapes _ (Whole l)), ok.
      + constructor; [|exact REST]. rewrite times_size_val. cbn [size_val].
        change (N.to_nat (N.pos b)) with (Pos.to_nat b). unfold k. nia.
    - assert (fits1 : is_whole w && (a <? length extents) &&
                      plan_ok q (work_at (moved (length extents) a (length st)) w) (with_first a extents)
                        (length lanes) (length st) (length pre) simple (negb (is_itself f)) = true)
        by (destruct extents; exact fits).
      clear fits. apply andb_true_iff in fits1 as [fits fits_q]. apply andb_true_iff in fits as [is_w a_lt].
      apply Nat.ltb_lt in a_lt. destruct w as [l|]; [|discriminate].
      assert (indices_are := first_of nat 0 indices a ltac:(rewrite long; exact a_lt)).
      set (A := firstn a indices) in *. set (B := skipn (S a) indices) in *. set (x := nth a indices 0) in *.
      assert (A_is : length A = a) by (unfold A; rewrite firstn_length; lia).
      assert (B_is : length B = length extents - S a) by (unfold B; rewrite skipn_length; lia).
      cbn [planned]. rewrite indices_are, <- app_assoc, map_app. cbn [app map].
      rewrite to_back_ok by exact A_is. rewrite <- map_app, app_assoc.
      change (Ix x :: map Ix ((A ++ B) ++ rev li)) with (map Ix ((x :: A ++ B) ++ rev li)).
      set (M := moved (length extents) a (length st)) in *.
      rewrite <- (is_itself_at M f) in fits_q. pose proof (end_at_reads shapes M f ok_f) as ok_M.
      rewrite (IH shapes vs ts AGREE simple (work_at M (Whole l)) (ibody_at M f) start (with_first a extents)
                 X lanes st pre _ li iv kv); try assumption.
      + apply (whole_at_val ts M). unfold M. rewrite <- A_is at 1. apply sees_moved; [lia | exact outer].
      + apply (work_at_reads shapes _ (Whole l)), ok.
      + clear IH fits_q. unfold with_first, x, A, B.
        unfold LowerTerms.below, in_bounds in *.
        assert (MOVED : forall (val : size -> nat) l1 l2, Forall2 (fun i n => i < n) l1 (map val l2) -> a < length l2 ->
                  Forall2 (fun i n => i < n) (nth a l1 0 :: firstn a l1 ++ skipn (S a) l1)
                    (map val (nth a l2 (SConst 0) :: firstn a l2 ++ skipn (S a) l2))).
        { intros val l1 l2 ALL a_in. clear -ALL a_in. revert l2 a a_in ALL.
          induction l1 as [|i l1 IHl]; intros [|e l2] a a_in ALL; cbn [length map] in *; try lia;
            inversion ALL; subst.
          destruct a as [|a]; [constructor; assumption|].
          specialize (IHl l2 a ltac:(lia) ltac:(assumption)).
          cbn [nth firstn skipn app map] in *. inversion IHl; subst.
          constructor; [assumption|]. constructor; assumption. }
        exact (MOVED _ _ _ INSIDE a_lt).
    - assert (fits1 : match nth_error extents a with
                      | Some e => is_whole w && size_leb [] e b &&
                          plan_ok q w (with_extent a b extents) (length lanes) (length st) (length pre) simple
                            (negb (is_itself f))
                      | None => false
                      end = true) by (destruct extents; exact fits).
      clear fits. destruct (nth_error extents a) as [e|] eqn:at_a; [|discriminate].
      apply andb_true_iff in fits1 as [fits fits_q]. apply andb_true_iff in fits as [is_w le].
      destruct w as [l|]; [|discriminate].
      apply (size_leb_sound sg []) in le; [|intros x y no; destruct no].
      assert (a_lt : a < length extents) by (apply nth_error_Some; rewrite at_a; discriminate).
      assert (indices_are := first_of nat 0 indices a ltac:(rewrite long; exact a_lt)).
      set (A := firstn a indices) in *. set (B := skipn (S a) indices) in *. set (i := nth a indices 0) in *.
      assert (A_is : length A = a) by (unfold A; rewrite firstn_length; lia).
      assert (OVER : below (A ++ i :: B) (with_extent a b extents)).
      { clear IH fits_q SEES. rewrite <- indices_are. clear indices_are A_is A B i.
        unfold with_extent. clear ok SIMPLE start long. revert a at_a a_lt indices INSIDE.
        induction extents as [|n more IHe]; intros [|a] at_a a_lt indices INSIDE; try discriminate;
          inversion INSIDE as [|i n1 rest more_is i_lt REST]; subst; cbn [firstn skipn app].
        - injection at_a as at_a. subst n. constructor; [lia | exact REST].
        - constructor; [exact i_lt|]. apply IHe; [exact at_a | cbn [length] in a_lt; lia | exact REST]. }
      rewrite indices_are in *. clear indices_are INSIDE.
      specialize (IH shapes vs ts AGREE simple (Whole l) f start (with_extent a b extents) X lanes st pre (A ++ i :: B) li
                    iv kv SIMPLE ok ok_f fits_q OVER
                    LANES BELOW SEES).
      cbn [planned Semantics.eval work_val] in *. rewrite <- app_assoc, map_app in *. cbn [app map] in *.
      rewrite each_ok by exact A_is. cbn [lay_path size_val]. exact IH.
    - destruct extents as [|e more]; [discriminate|]. cbn [plan_ok] in fits.
      apply andb_true_iff in fits as [is_w fits_q]. destruct w as [l|]; [|discriminate].
      inversion INSIDE as [|i n1 rest more_is i_lt REST]. subst.
      cbn [length] in long. injection long as long.
      cbn [planned hd tl app map Semantics.eval lay_path size_val].
      change (Ix (N.to_nat b + i) :: map Ix (rest ++ rev li)) with (map Ix ((N.to_nat b + i :: rest) ++ rev li)).
      set (A := before (length (e :: more)) (length st) b) in *.
      rewrite <- (is_itself_at A f) in fits_q. pose proof (end_at_reads shapes A f ok_f) as ok_A.
      rewrite (IH shapes vs ts AGREE simple (work_at A (Whole l)) (ibody_at A f) start
                 (plus_size (SConst b) e :: more) X lanes st pre _ li iv kv); try assumption.
      + apply (whole_at_val ts A), sees_before; [cbn [length]; lia | exact outer | reflexivity].
      + apply (work_at_reads shapes _ (Whole l)), ok.
      + constructor; [|exact REST]. rewrite plus_size_val. cbn [size_val]. lia.
    - assert (fits1 : match sum_of w with
                      | Some s => negb (negb (is_itself f)) && is_sum w (m * b) &&
                          plan_ok q (part_at (cut (length extents) (length st) b) b s) extents (length lanes)
                            (S (length st)) (length pre + 2) true false
                      | None => false
                      end = true) by (destruct extents; exact fits).
      clear fits. cbn [planned]. destruct (sum_of w) as [[[loops c] body]|] eqn:sum; [|discriminate].
      apply andb_true_iff in fits1 as [fits1 fits]. apply andb_true_iff in fits1 as [is is_m].
      rewrite negb_involutive in is. rewrite (end_itself sg K _ ts f _ is).
      rewrite (sum_of_val ts w loops c body _ _ sum).
      rewrite (is_sum_loops w _ loops c body sum is_m).
      cbn [Semantics.eval fold_val size_val]. rewrite N2Nat.inj_mul, iterate_blocks.
      rewrite <- (start_of_val iv (pre ++ vs) w (array_ty (extents ++ rev lanes)) start).
      apply iterate_at. intros j j_lt v.
      assert (SEES_j : sees (with_var (length lanes) st) (li ++ j :: iv) (j :: kv)).
      { rewrite <- insert_app, here. apply with_var_sees; [rewrite app_length; lia | exact SEES]. }
      assert (outer_j : S (length st) = length (with_var (length lanes) st))
        by (unfold with_var; cbn [length]; rewrite map_length; reflexivity).
      rewrite outer_j, (Nat.add_comm (length pre) 2) in fits.
      set (elem := fun r => eval iv (pre ++ vs) (zeros (SConst m)) (Ix j :: r)).
      rewrite Nat.add_comm. change (2 + length pre) with (length (elem :: v :: pre)).
      change (elem :: v :: pre ++ vs) with ((elem :: v :: pre) ++ vs).
      rewrite (IH shapes vs ts AGREE true _ itself (EVar 1) extents (SConst m :: X) lanes _ (elem :: v :: pre) indices li
                 (j :: iv) (j :: kv));
        [| reflexivity | apply part_at_reads, (sum_of_reads shapes w loops c body sum ok) | reflexivity | exact fits | exact INSIDE
         | exact LANES | constructor; assumption | exact SEES_j].
      rewrite end_itself by reflexivity. cbn [app Semantics.eval nth].
      apply (part_val sg K ts _ b loops c body (rev indices ++ j :: kv) (rev indices ++ kv) _
               (fun r => N.to_nat b * j + r)).
      intros r. apply sees_cut; [symmetry; exact long | exact outer | reflexivity].
    - assert (fits1 : match sum_of w with
                      | Some s => is_sum w (n + m) &&
                          plan_ok q (part_at (variables 0 (S (length extents + length st))) n s) extents
                            (length lanes) (length st) (length pre) (is_whole w || simple) false &&
                          plan_ok r (part_at (later (length extents) (length st) n) m s) extents
                            (length lanes) (length st) (length pre) false (negb (is_itself f))
                      | None => false
                      end = true) by (destruct extents; exact fits).
      clear fits. cbn [planned]. destruct (sum_of w) as [[[loops c] body]|] eqn:sum; [|discriminate].
      apply andb_true_iff in fits1 as [fits fits_r]. apply andb_true_iff in fits as [is_m fits_q].
      rewrite (sum_of_val ts w loops c body _ _ sum).
      rewrite (is_sum_loops w _ loops c body sum is_m).
      cbn [fold_val size_val]. rewrite N2Nat.inj_add, iterate_plus.
      rewrite <- (start_of_val iv (pre ++ vs) w (array_ty (extents ++ rev lanes)) start).
      assert (body_ok := sum_of_reads shapes w loops c body sum ok).
      assert (SIMPLE_q : is_whole w || simple = true ->
                           is_simple (start_of w (array_ty (extents ++ rev lanes)) start) = true)
        by (destruct w; [reflexivity | exact SIMPLE]).
      rewrite (IHr shapes vs ts AGREE false _ f _ extents X lanes st pre indices li iv kv
                 (fun no => False_ind _ (diff_false_true no)) (part_at_reads shapes _ _ _ _ _ body_ok) ok_f fits_r
                 INSIDE LANES BELOW SEES).
      apply f_equal.
      rewrite (IHq shapes vs ts AGREE (is_whole w || simple) _ itself _ extents X lanes st pre indices li iv kv);
        [| exact SIMPLE_q | exact (part_at_reads shapes _ _ _ _ _ body_ok) | reflexivity | exact fits_q | exact INSIDE
         | exact LANES | exact BELOW | exact SEES].
      rewrite end_itself by reflexivity. cbn [part_at work_val tl].
      assert (vars : length (rev indices ++ kv) = length extents + length st)
        by (rewrite app_length, rev_length, long, outer; reflexivity).
      pose proof (part_val sg K ts (variables 0 (S (length extents + length st))) n loops c body
                    (rev indices ++ kv) (rev indices ++ kv)
                    (eval iv (pre ++ vs) (start_of w (array_ty (extents ++ rev lanes)) start)
                       (map Ix (indices ++ rev li))) (fun r => r)) as FIRST.
      cbn [part_at] in FIRST. rewrite FIRST.
      + pose proof (part_val sg K ts (later (length extents) (length st) n) m loops c body
                      (rev indices ++ kv) (rev indices ++ kv)) as SECOND.
        cbn [part_at] in SECOND. apply (SECOND _ (fun r => r + N.to_nat n)).
        intros i. unfold later. apply sees_later; [symmetry; exact vars | reflexivity].
      + intros i. pose proof (sees_variables sg [] (i :: rev indices ++ kv) [] 0
                                (S (length extents + length st)) eq_refl) as ALL.
        rewrite app_nil_r in ALL. apply ALL. cbn [length]. lia.
    - assert (fits1 : match source_of t (summands_of w) with
                      | Some (loops, s) => simple && (length lanes =? 0) && tab_ok loops extents s over &&
                          plan_ok q (work_tab t loops extents s over (length pre) w) extents (length lanes)
                            (length st) 0 simple (negb (is_itself f))
                      | None => false
                      end = true) by (destruct extents; exact fits).
      clear fits. cbn [planned].
      destruct (source_of t (summands_of w)) as [[loops s]|] eqn:source; [|discriminate].
      apply andb_true_iff in fits1 as [fits fits_q]. apply andb_true_iff in fits as [fits fits_tab].
      apply andb_true_iff in fits as [is_simple_start no_lanes]. specialize (SIMPLE is_simple_start).
      apply Nat.eqb_eq, length_zero_iff_nil in no_lanes. subst lanes. inversion LANES. subst li.
      cbn [app rev] in *. rewrite app_nil_r. cbn [Semantics.eval].
      set (shape := map (bound loops extents) over).
      set (element := ibody_at (with_vars (length over) st) (copied t loops extents s over (length st))).
      set (statement := [{| su_loops := []; su_cond := CTrue; su_body := element |}]).
      set (v := eval iv (pre ++ vs) (lower_axes facts Seq X (length pre) shape statement)).
      set (copy := fun ps => body_val sg K (rev ps ++ iv) ts element).
      assert (ok_w : forallb (fun r => body_reads_ok shapes (su_body r)) (summands_of w) = true)
        by (destruct w; cbn [summands_of forallb su_body work_reads] in *; rewrite ?andb_true_r; exact ok).
      assert (COPY : forall ps, below ps shape -> v (map Ix ps) = copy ps).
      { intros ps ps_in. unfold v.
        rewrite (lower_axes_ok sg K facts FACTS shapes vs ts AGREE); [reflexivity | | exact BELOW | exact ps_in].
        cbn [statement forallb su_body]. rewrite andb_true_r. unfold element, copied.
        rewrite !body_at_reads. exact (source_of_reads shapes t _ loops s source ok_w). }
      pose proof (agree_tab sg K shape shapes copy v pre vs ts AGREE COPY) as AGREE_q.
      assert (START : eval iv (v :: pre ++ vs) (lifted start) (map Ix indices) =
                      eval iv (pre ++ vs) start (map Ix indices))
        by (destruct start; try discriminate; reflexivity).
      rewrite <- START.
      pose proof (IH (shapes_tab shape (length pre) shapes) (v :: pre ++ vs) (tensors_tab K copy pre ts) AGREE_q
                    simple (work_tab t loops extents s over (length pre) w) (past (S (length pre)) f) (lifted start) extents X [] st []
                    indices [] iv kv) as INNER.
      cbn [app rev length] in INNER. rewrite app_nil_r, is_itself_past in INNER.
      rewrite INNER; clear INNER; try assumption.
      + replace (S (length pre)) with (length (copy :: map (tensor_of K) pre))
          by (cbn [length]; rewrite map_length; reflexivity).
        refine (eq_trans (past_val sg K _ _ (copy :: map (tensor_of K) pre) ts f) _).
        apply (f_equal (end_val _ ts f)).
        destruct w as [l|inner c b]; cbn [work_tab work_val].
        * apply (retold_element sg K copy pre ts loops extents s over fits_tab t st iv kv SEES eq_refl l indices INSIDE).
        * apply (retold_fold sg K copy pre ts loops extents s over fits_tab t st iv kv SEES eq_refl
                   {| su_loops := inner; su_cond := c; su_body := b |} indices c _ INSIDE).
      + intros _. destruct start; try discriminate; reflexivity.
      + assert (shape_is : map snd (at_variables loops extents over) = shape)
          by (unfold at_variables; rewrite map_map; reflexivity).
        destruct w as [l|inner c b]; cbn [work_tab work_reads] in *.
        * rewrite forallb_forall in *. intros r r_in. apply in_map_iff in r_in as (r1 & r_is & r1_in).
          subst r. apply retell_reads; [exact shape_is | apply ok, r1_in].
        * apply retell_reads; [exact shape_is | exact ok].
      + unfold shapes_tab. pose proof (past_reads [] (shape :: repeat [] (length pre)) shapes f ok_f) as PAST.
        cbn [length] in PAST. rewrite repeat_length in PAST. exact PAST.
    - destruct extents; discriminate.
  Qed.

  Section TILED.
    Context (shapes : list (list size)) (vs : list (value K)) (ts : list (tensor K)).
    Context (AGREE : agree sg K shapes vs ts).

    Lemma tiled_statement_ok p s f indices :
      statement_reads_ok shapes s = true -> body_reads_ok ([] :: shapes) f = true ->
      statement_fits p s f = true -> below indices (st_extents s) ->
      eval [] vs (tiled_statement facts p s f) (map Ix indices) =
      end_val (rev indices) ts f (statement_val sg K ts s indices).
    Proof using FACTS AGREE.
      intros ok ok_f fits INSIDE. unfold tiled_statement, statement_val.
      pose proof (planned_ok p shapes vs ts AGREE true (Whole (st_summands s)) f (ECst TNum zero) (st_extents s) [] [] [] []
                    indices [] [] [] (fun _ => eq_refl) ok ok_f fits INSIDE ltac:(constructor) ltac:(constructor)
                    ltac:(constructor)) as PLANNED.
      cbn [rev app length work_val] in PLANNED. rewrite !app_nil_r in PLANNED. exact PLANNED.
    Qed.
  End TILED.

  Lemma tiled_locals_ok p l last : forall shapes vs ts indices,
    agree sg K shapes vs ts -> locals_reads_ok shapes l last = true ->
    locals_fit p l last = true -> below indices (st_extents last) ->
    eval [] vs (tiled_locals facts p l last) (map Ix indices) =
    statement_val sg K (locals_val sg K ts l) last indices.
  Proof using FACTS.
    induction l as [|s more IH]; intros shapes vs ts indices AGREE ok fits INSIDE.
    - apply (tiled_statement_ok shapes vs ts AGREE p last itself); [exact ok | reflexivity | exact fits | exact INSIDE].
    - cbn [locals_reads_ok] in ok. apply andb_true_iff in ok as [ok_s ok].
      assert (LET : locals_fit p more last = true ->
                eval [] vs (ELet (EMem (array_ty (st_extents s)) (lower_statement facts s)) (tiled_locals facts p more last))
                  (map Ix indices) = statement_val sg K (locals_val sg K ts (s :: more)) last indices).
      { intros fits_more. cbn [Semantics.eval locals_val].
        apply (IH (st_extents s :: shapes)); [|exact ok | exact fits_more | exact INSIDE].
        intros [|t] at_t; cbn [nth_error nth]; unfold read; cbn [nth].
        + intros at_below. apply (lower_statement_ok sg K facts FACTS shapes); assumption.
        + apply AGREE. }
      destruct p as [| | | | | | | | | | | |q]; try exact (LET fits).
      destruct more as [|r more]; [|exact (LET fits)].
      cbn [locals_fit] in fits. apply andb_true_iff in fits as [fits fits_q]. apply andb_true_iff in fits as [same fits].
      unfold same_extents in same. destruct (list_eq_dec size_eq_dec (st_extents s) (st_extents last)) as [same_are|];
        [|discriminate].
      cbn [tiled_locals locals_val locals_reads_ok] in *.
      rewrite (tiled_statement_ok shapes vs ts AGREE q s (ending last) indices ok_s); [| |exact fits_q|].
      + apply ending_val; assumption.
      + exact (ending_reads (st_extents s) shapes last fits ok).
      + rewrite same_are. exact INSIDE.
  Qed.
End VALUES.

Theorem tiled_correct sg K p k vs indices :
  facts_hold sg (ik_facts k) -> reads_ok k = true -> plan_fits p k = true ->
  below sg indices (st_extents (ik_output k)) ->
  eval sg K [] vs (tiled p k) (map Ix indices) =
  ikernel_val sg K (map (tensor_of K) vs) k indices.
Proof.
  intros FACTS ok fits INSIDE.
  apply (tiled_locals_ok sg K (ik_facts k) FACTS p _ _ [] _ _ _ (agree_inputs sg K vs) ok fits INSIDE).
Qed.

(** As [lowers_to], by a plan. *)
Definition tiles_to (p : plan) (ik : ikernel) (k : source) : Prop :=
  (kernel_facts k, kernel_inputs k, kernel_output k, kernel_term k, reads_ok ik, plan_fits p ik) =
  (ik_facts ik, ik_inputs ik, array_ty (st_extents (ik_output ik)), tiled p ik, true, true).

Theorem tiles_to_sound p ik k : tiles_to p ik k -> ComputesIndex ik k.
Proof.
  intros same. unfold tiles_to in same. injection same as facts inputs output term ok fits.
  split; [exact facts|]. split; [exact inputs|]. split; [exact output|].
  intros sg FACTS K m indices INSIDE. unfold kernel_value. rewrite term, inputs.
  exact (tiled_correct sg K p ik _ indices FACTS ok fits INSIDE).
Qed.
