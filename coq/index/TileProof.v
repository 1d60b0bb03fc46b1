(** Tiles of lanes compute the kernel's elements.

    [sees]              what terms stand for index variables, and their values
    [trim_ok]           a condition is worth the same without what always holds
    [tile_fold_ok]      every element of a tile adds the same terms in the same order
    [tile_ok]           every element of a tile is the kernel's *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing array.Check.
From Vouch Require Import array.IndexProof certify.Certificate.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Tile.
Import ListNotations.

Lemma insert_nth {A : Type} (x : A) l c i default : c <= length l ->
  nth (if i <? c then i else S i) (insert c x l) default = nth i l default.
Proof.
  intros c_le. unfold insert.
  assert (first : length (firstn c l) = c) by (rewrite firstn_length; lia).
  destruct (Nat.ltb_spec i c) as [before|after].
  - rewrite app_nth1 by lia. rewrite <- (firstn_skipn c l) at 2. rewrite app_nth1 by lia. reflexivity.
  - rewrite app_nth2 by lia. rewrite first. replace (S i - c) with (S (i - c)) by lia. cbn [nth].
    rewrite <- (firstn_skipn c l) at 2. rewrite app_nth2 by lia. rewrite first. reflexivity.
Qed.

Lemma insert_here {A : Type} (x : A) l c default : c <= length l -> nth c (insert c x l) default = x.
Proof.
  intros c_le. unfold insert. rewrite app_nth2; rewrite firstn_length; [|lia].
  replace (c - Nat.min c (length l)) with 0 by lia. reflexivity.
Qed.

Lemma insert_length {A : Type} (x : A) l c : length (insert c x l) = S (length l).
Proof.
  unfold insert. rewrite app_length. cbn [length].
  rewrite <- (firstn_skipn c l) at 3. rewrite app_length. lia.
Qed.

Lemma insert_app {A : Type} (x : A) l m : insert (length l) x (l ++ m) = l ++ x :: m.
Proof. unfold insert. rewrite firstn_app, skipn_app, Nat.sub_diag, firstn_all, skipn_all. cbn. rewrite app_nil_r. reflexivity. Qed.

Lemma insert_left {A : Type} (x : A) l m c : c <= length l -> insert c x (l ++ m) = insert c x l ++ m.
Proof.
  intros c_le. unfold insert. rewrite firstn_app, skipn_app.
  replace (c - length l) with 0 by lia. cbn [firstn skipn]. rewrite app_nil_r, <- app_assoc. reflexivity.
Qed.

Lemma insert_rev {A : Type} (x : A) l c :
  rev (insert c x l) = rev (skipn c l) ++ x :: rev (firstn c l).
Proof. unfold insert. rewrite rev_app_distr. cbn [rev]. rewrite <- app_assoc. reflexivity. Qed.

Section INDICES.
  Context (sg : nat -> nat).

  Notation iterm_val := (iterm_val sg).
  Notation below := (below sg).

  (** Under the index variables iv, the terms st have the values kv. *)
  Definition sees (st : list iterm) (iv kv : list nat) : Prop :=
    Forall2 (fun t v => iterm_val iv t = Z.of_nat v) st kv.

  Lemma lift_val t c x iv : c <= length iv ->
    iterm_val (insert c x iv) (iterm_lift c t) = iterm_val iv t.
  Proof using.
    intros c_le. induction t as [i|z|s|a IHa b IHb|z a IHa|a IHa m|a IHa m]; cbn [iterm_lift Kernel.iterm_val];
      try congruence; rewrite insert_nth by exact c_le; reflexivity.
  Qed.

  Lemma lift_sees st c x iv kv : c <= length iv -> sees st iv kv ->
    sees (map (iterm_lift c) st) (insert c x iv) kv.
  Proof using.
    intros c_le SEES. induction SEES as [|t v st kv here SEES IH]; [constructor|].
    constructor; [rewrite lift_val by exact c_le; exact here | exact IH].
  Qed.

  Lemma with_var_sees st c x iv kv : c <= length iv -> sees st iv kv ->
    sees (with_var c st) (insert c x iv) (x :: kv).
  Proof using.
    intros c_le SEES. constructor; [|apply lift_sees; assumption].
    cbn [Kernel.iterm_val]. rewrite insert_here by exact c_le. reflexivity.
  Qed.

  Lemma sees_nth st iv kv : sees st iv kv ->
    forall i, iterm_val iv (nth i st (ICon 0)) = Z.of_nat (nth i kv 0).
  Proof using.
    intros SEES. induction SEES as [|t v st kv here SEES IH]; intros [|i]; cbn [nth].
    - reflexivity.
    - reflexivity.
    - exact here.
    - apply IH.
  Qed.

  Lemma iterm_sum_val iv a b : iterm_val iv (iterm_sum a b) = (iterm_val iv a + iterm_val iv b)%Z.
  Proof using.
    destruct a as [i|z|s|x [j|c|s|y1 y2|z y|y m|y m]|z x|x m|x m], b as [k|d|s1|b1 b2|z1 b1|b1 m1|b1 m1];
      try reflexivity.
    cbn [iterm_sum Kernel.iterm_val]. ring.
  Qed.

  Section AT.
    Context (st : list iterm) (iv kv : list nat) (SEES : sees st iv kv).

    Lemma iterm_at_val t : iterm_val iv (iterm_at st t) = iterm_val kv t.
    Proof using SEES.
      induction t as [i|z|s|a IHa b IHb|z a IHa|a IHa m|a IHa m]; cbn [iterm_at Kernel.iterm_val];
        rewrite ?iterm_sum_val, ?IHa, ?IHb; try reflexivity. apply (sees_nth st iv kv SEES).
    Qed.

    Lemma icond_at_val c : icond_val sg iv (icond_at st c) = icond_val sg kv c.
    Proof using SEES.
      induction c as [|a b|a b|c IHc d IHd|c IHc d IHd|c IHc]; cbn [icond_at icond_val];
        rewrite ?iterm_at_val; congruence.
    Qed.

    Lemma inside_at s : all_inside sg iv (map (fun p => (iterm_at st (fst p), snd p)) s) = all_inside sg kv s.
    Proof using SEES.
      induction s as [|[u n] s IHs]; [reflexivity|].
      cbn [map all_inside forallb fst snd]. unfold all_inside in IHs. rewrite IHs, iterm_at_val. reflexivity.
    Qed.

    Lemma places_at s : places sg iv (map (fun p => (iterm_at st (fst p), snd p)) s) = places sg kv s.
    Proof using SEES.
      unfold places. rewrite map_map. apply map_ext. intros [u n]. cbn [fst]. rewrite iterm_at_val. reflexivity.
    Qed.

    Lemma body_at_val K ts b : body_val sg K iv ts (ibody_at st b) = body_val sg K kv ts b.
    Proof using SEES.
      induction b as [c|i|t s|x IHx n t s r|o a IHa|o a IHa c IHc|o a IHa c IHc d IHd|g a IHa c IHc];
        cbn [ibody_at body_val]; rewrite ?iterm_at_val, ?icond_at_val, ?IHx, ?IHa, ?IHc, ?IHd; try reflexivity.
      - rewrite inside_at. fold (places sg iv (map (fun p => (iterm_at st (fst p), snd p)) s)) (places sg kv s).
        rewrite places_at. reflexivity.
      - apply gathered_ext. intros k k_lt. unfold element_at. rewrite !inside_at, !places_at. reflexivity.
    Qed.
  End AT.

  Lemma fold_at_val K ts loops c b : forall st iv kv a, sees st iv kv ->
    fold_val sg K loops (icond_at (with_vars (length loops) st) c)
      (ibody_at (with_vars (length loops) st) b) iv ts a = fold_val sg K loops c b kv ts a.
  Proof using.
    induction loops as [|n loops IH]; intros st iv kv a SEES; cbn [length with_vars fold_val].
    - rewrite (icond_at_val st iv kv SEES), (body_at_val st iv kv SEES). reflexivity.
    - induction (size_val sg n) as [|m IHm]; cbn [iterate]; [reflexivity|]. rewrite IHm.
      apply IH. apply (with_var_sees st 0 m iv kv); [lia | exact SEES].
  Qed.

  Lemma summand_at_val K ts s st iv kv : sees st iv kv ->
    summand_val sg K iv ts (summand_at st s) = summand_val sg K kv ts s.
  Proof using.
    intros SEES. destruct s as [loops c b]. unfold summand_val, summand_at. cbn [su_loops su_cond su_body].
    pose proof (fold_at_val K ts loops c b st iv kv (cst K zero) SEES) as FOLD.
    destruct loops as [|n loops]; [|exact FOLD]. cbn [length with_vars].
    rewrite (icond_at_val st iv kv SEES), (body_at_val st iv kv SEES). reflexivity.
  Qed.

  Lemma element_at_val K ts l st iv kv : sees st iv kv ->
    element_val sg K iv ts (map (summand_at st) l) = element_val sg K kv ts l.
  Proof using.
    intros SEES. destruct l as [|s more]; [reflexivity|]. cbn [map element_val].
    rewrite (summand_at_val K ts s st iv kv SEES). generalize (summand_val sg K kv ts s).
    induction more as [|r more IH]; intros a; [reflexivity|]. cbn [map fold_left].
    rewrite (summand_at_val K ts r st iv kv SEES). apply IH.
  Qed.

  Lemma body_at_reads shapes st b : body_reads_ok shapes (ibody_at st b) = body_reads_ok shapes b.
  Proof using.
    induction b as [c|i|t s|x IHx n t s r|o a IHa|o a IHa c IHc|o a IHa c IHc d IHd|g a IHa c IHc];
      cbn [ibody_at body_reads_ok]; rewrite ?IHx, ?IHa, ?IHc, ?IHd; try reflexivity;
      rewrite !map_map; reflexivity.
  Qed.

  Section TRIM.
    Context (facts : list fact) (FACTS : facts_hold sg facts).
    Context (iv : list nat) (X : list size) (BELOW : below iv X).

    Lemma surely_le_ok a b : surely_le facts X a b = true -> (iterm_val iv a <= iterm_val iv b)%Z.
    Proof using FACTS BELOW.
      unfold surely_le. intros sure.
      pose proof (lower_term_ok sg iv X BELOW a) as A. pose proof (lower_term_ok sg iv X BELOW b) as B.
      destruct (lower_term X a) as [p1 q1], (lower_term X b) as [p2 q2].
      destruct A as (va & _ & _), B as (vb & _ & _). rewrite va, vb.
      assert (left := val_add sg iv p1 q2). assert (right := val_add sg iv p2 q1).
      destruct (ixe_ok_sound sg facts FACTS X iv BELOW _ sure) as [(_ & _ & le) _].
      unfold val in *. lia.
    Qed.

    Lemma trim_ok c : icond_val sg iv (trim facts X c) = icond_val sg iv c.
    Proof using FACTS BELOW.
      induction c as [|a b|a b|c IHc d IHd|c IHc d IHd|c IHc]; try reflexivity; cbn [trim].
      - destruct (surely_le facts X a b) eqn:sure; [|reflexivity].
        symmetry. apply Z.leb_le, surely_le_ok, sure.
      - cbn [icond_val]. rewrite <- IHc, <- IHd.
        destruct (trim facts X c), (trim facts X d); cbn [icond_val]; rewrite ?andb_true_r; reflexivity.
    Qed.
  End TRIM.
End INDICES.

Section VALUES.
  Context (sg : nat -> nat) (K : scalars).
  Context (facts : list fact) (FACTS : facts_hold sg facts).

  Notation below := (below sg).
  Notation sees := (sees sg).
  Notation eval := (eval sg K).

  Lemma iterate_at n (F : nat -> value K -> value K) (G : nat -> num K -> num K) v q :
    (forall j, j < n -> forall w, F j w q = G j (w q)) -> iterate n F v q = iterate n G (v q).
  Proof using.
    intros STEP. induction n as [|n IHn]; [reflexivity|]. cbn [iterate].
    rewrite STEP by lia. f_equal. apply IHn. intros j j_lt. apply STEP. lia.
  Qed.

  Section STATEMENT.
    Context (shapes : list (list size)) (vs : list (value K)) (ts : list (tensor K)).
    Context (AGREE : agree sg K shapes vs ts).

    Lemma lane_step_ok iv X pre a c b : below iv X -> body_reads_ok shapes b = true ->
      eval iv (pre ++ vs) (lane_step facts X (length pre) a c b) [] =
      (if icond_val sg iv c
       then op2 K Add (nth a (pre ++ vs) (zero_value K) []) (body_val sg K iv ts b)
       else nth a (pre ++ vs) (zero_value K) []).
    Proof using FACTS AGREE.
      intros BELOW ok. unfold lane_step.
      pose proof (lower_body_ok sg K facts FACTS iv X BELOW shapes vs ts AGREE pre b ok) as BODY.
      rewrite <- (trim_ok sg facts FACTS iv X BELOW c).
      destruct (trim facts X c);
        cbn [EBin Semantics.eval apply_op]; rewrite ?(lower_cond_ok sg iv X BELOW), BODY; reflexivity.
    Qed.

    Lemma lane_maps_ok lanes c b : body_reads_ok shapes b = true ->
      forall iv X pre a at_lanes, below iv X -> below at_lanes lanes ->
      eval iv (pre ++ vs) (lane_maps facts X lanes (length pre) a c b) (map Ix at_lanes) =
      (if icond_val sg (rev at_lanes ++ iv) c
       then op2 K Add (nth a (pre ++ vs) (zero_value K) (map Ix at_lanes))
                      (body_val sg K (rev at_lanes ++ iv) ts b)
       else nth a (pre ++ vs) (zero_value K) (map Ix at_lanes)).
    Proof using FACTS AGREE.
      intros ok. induction lanes as [|n more IH]; intros iv X pre a at_lanes BELOW INSIDE.
      - inversion INSIDE. subst at_lanes. apply lane_step_ok; assumption.
      - inversion INSIDE as [|i m rest more_is i_lt REST]. subst.
        cbn [lane_maps map Semantics.eval rev]. rewrite <- app_assoc. cbn [app].
        set (elem := fun r => nth a (pre ++ vs) (zero_value K) (Ix i :: r)).
        apply (IH (i :: iv) (n :: X) (elem :: pre) 0 rest); [constructor; assumption | exact REST].
    Qed.

    Lemma below_app iv1 iv2 X1 X2 : below iv1 X1 -> below iv2 X2 -> below (iv1 ++ iv2) (X1 ++ X2).
    Proof using.
      unfold LowerTerms.below, in_bounds. rewrite map_app. apply Forall2_app.
    Qed.

    Lemma below_length iv X : below iv X -> length iv = length X.
    Proof using.
      intros BELOW. induction X as [|n X IHX] in iv, BELOW |- *; inversion BELOW; subst; [reflexivity|].
      cbn [length]. f_equal. apply IHX. assumption.
    Qed.

    Lemma below_rev iv X : below iv X -> below (rev iv) (rev X).
    Proof using.
      intros BELOW. induction X as [|n X IHX] in iv, BELOW |- *; inversion BELOW; subst; [constructor|].
      cbn [rev]. apply below_app; [apply IHX; assumption|]. constructor; [assumption | constructor].
    Qed.

    Lemma below_insert iv X c i n : below iv X -> i < size_val sg n ->
      below (insert c i iv) (insert c n X).
    Proof using.
      intros BELOW i_lt. revert c. induction X as [|m X IHX] in iv, BELOW |- *; inversion BELOW; subst;
        intros [|c]; unfold insert in *; cbn [firstn skipn app].
      - constructor; [exact i_lt | constructor].
      - constructor; [exact i_lt | constructor].
      - constructor; [exact i_lt | constructor; assumption].
      - constructor; [assumption | apply IHX; assumption].
    Qed.

    Context (u : nat).

    (** [li]: a position in the tile, from the innermost axis on; [iv]: the loops around. *)
    Lemma tile_fold_ok loops c b lanes li : body_reads_ok shapes b = true -> below li lanes ->
      loops <> [] -> forall w iv X st kv pre start, below iv X -> sees st (li ++ iv) kv ->
      eval iv (pre ++ vs) (tile_fold facts u w X lanes st (length pre) loops c b start)
        (map Ix (rev li)) =
      fold_val sg K loops c b kv ts (eval iv (pre ++ vs) start (map Ix (rev li))).
    Proof using FACTS AGREE.
      intros ok LANES. induction loops as [|n inner IH]; [congruence|].
      intros _ w iv X st kv pre start BELOW SEES. cbn [tile_fold Semantics.eval fold_val].
      assert (here : length lanes = length li) by (symmetry; apply below_length, LANES).
      apply iterate_at. intros j j_lt v.
      assert (BELOW_j : below (j :: iv) (n :: X)) by (constructor; assumption).
      assert (SEES_j : sees (with_var (length lanes) st) (li ++ j :: iv) (j :: kv)).
      { rewrite <- insert_app, here. apply with_var_sees; [rewrite app_length; lia | exact SEES]. }
      set (elem := fun r => eval iv (pre ++ vs) (zeros n) (Ix j :: r)).
      rewrite Nat.add_comm. destruct inner as [|m inner].
      - cbn [fold_val].
        change (S (S (length pre))) with (length (elem :: v :: pre)).
        change (2 + length pre) with (length (elem :: v :: pre)).
        change (elem :: v :: pre ++ vs) with ((elem :: v :: pre) ++ vs).
        rewrite lane_maps_ok; [| rewrite body_at_reads; exact ok | exact BELOW_j | apply below_rev, LANES].
        rewrite rev_involutive, (icond_at_val sg _ _ _ SEES_j), (body_at_val sg _ _ _ SEES_j). reflexivity.
      - apply (IH ltac:(discriminate) Into (j :: iv) (n :: X) _ _ (elem :: v :: pre) (EVar 1) BELOW_j SEES_j).
    Qed.

    (** An element, if its looped summand is worth x. *)
    Definition term_val (iv : list nat) (x : num K) (s : summand) : num K :=
      match su_loops s with [] => summand_val sg K iv ts s | _ => x end.

    Definition sum_val (iv : list nat) (x : num K) (l : list summand) : num K :=
      match l with
      | [] => cst K zero
      | s :: more => fold_left (fun a r => op2 K Add a (term_val iv x r)) more (term_val iv x s)
      end.

    Lemma lane_sum_ok iv X pre a l : below iv X ->
      forallb (fun r => body_reads_ok shapes (su_body r)) l = true ->
      eval iv (pre ++ vs) (lane_sum facts X (length pre) a l) [] =
      sum_val iv (nth a (pre ++ vs) (zero_value K) []) l.
    Proof using FACTS AGREE.
      intros BELOW ok.
      assert (TERM : forall r, body_reads_ok shapes (su_body r) = true ->
                eval iv (pre ++ vs) (lane_term facts X (length pre) a r) [] =
                term_val iv (nth a (pre ++ vs) (zero_value K) []) r).
      { intros r ok_r. unfold lane_term, term_val. destruct (su_loops r) eqn:loops; [|reflexivity].
        apply (lower_summand_ok sg K facts FACTS shapes vs ts AGREE); assumption. }
      destruct l as [|s more]; [reflexivity|]. cbn [forallb lane_sum sum_val] in *.
      apply andb_true_iff in ok as [ok_s ok]. rewrite <- (TERM s ok_s).
      generalize (lane_term facts X (length pre) a s) as e.
      induction more as [|r more IH]; intros e; [reflexivity|]. cbn [fold_left forallb] in *.
      apply andb_true_iff in ok as [ok_r ok]. rewrite (IH ok). cbn [EBin Semantics.eval apply_op].
      rewrite (TERM r ok_r). reflexivity.
    Qed.

    Lemma lane_sums_ok lanes l : forallb (fun r => body_reads_ok shapes (su_body r)) l = true ->
      forall iv X pre a at_lanes, below iv X -> below at_lanes lanes ->
      eval iv (pre ++ vs) (lane_sums facts X lanes (length pre) a l) (map Ix at_lanes) =
      sum_val (rev at_lanes ++ iv) (nth a (pre ++ vs) (zero_value K) (map Ix at_lanes)) l.
    Proof using FACTS AGREE.
      intros ok. induction lanes as [|n more IH]; intros iv X pre a at_lanes BELOW INSIDE.
      - inversion INSIDE. subst at_lanes. apply lane_sum_ok; assumption.
      - inversion INSIDE as [|i m rest more_is i_lt REST]. subst.
        cbn [lane_sums map Semantics.eval rev]. rewrite <- app_assoc. cbn [app].
        set (elem := fun r => nth a (pre ++ vs) (zero_value K) (Ix i :: r)).
        apply (IH (i :: iv) (n :: X) (elem :: pre) 0 rest); [constructor; assumption | exact REST].
    Qed.

    Lemma sum_val_is st iv kv x l :
      sees st iv kv -> (forall r, In r l -> su_loops r <> [] -> summand_val sg K kv ts r = x) ->
      sum_val iv x (map (summand_at st) l) = element_val sg K kv ts l.
    Proof using.
      intros SEES LOOPED.
      assert (TERM : forall r, In r l -> term_val iv x (summand_at st r) = summand_val sg K kv ts r).
      { intros r r_in. unfold term_val. destruct (su_loops (summand_at st r)) as [|n inner] eqn:loops.
        - apply summand_at_val, SEES.
        - symmetry. apply LOOPED; [exact r_in|]. cbn [summand_at su_loops] in loops. rewrite loops. discriminate. }
      destruct l as [|s more]; [reflexivity|]. cbn [map sum_val element_val].
      rewrite (TERM s (or_introl eq_refl)). generalize (summand_val sg K kv ts s) as a.
      assert (MORE : forall r, In r more -> term_val iv x (summand_at st r) = summand_val sg K kv ts r)
        by (intros r r_in; apply TERM; right; exact r_in).
      clear TERM LOOPED. induction more as [|r more IH]; intros a; [reflexivity|]. cbn [map fold_left].
      rewrite (MORE r (or_introl eq_refl)). apply IH. intros q q_in. apply MORE. right. exact q_in.
    Qed.

    Lemma tile_add_ok iv vals lanes : forall e at_lanes, below at_lanes lanes ->
      eval iv vals (tile_add lanes e) (map Ix at_lanes) =
      op2 K Add (eval iv vals e (Lft :: map Ix at_lanes)) (eval iv vals e (Rgt :: map Ix at_lanes)).
    Proof using.
      revert iv vals. induction lanes as [|n more IH]; intros iv vals e at_lanes INSIDE.
      - inversion INSIDE. reflexivity.
      - inversion INSIDE as [|i m rest more_is i_lt REST]. subst.
        cbn [tile_add map Semantics.eval]. rewrite IH by exact REST. reflexivity.
    Qed.

    Lemma fold_alone_ok s lanes li iv X st kv pre : su_loops s <> [] -> body_reads_ok shapes (su_body s) = true ->
      below li lanes -> below iv X -> sees st (li ++ iv) kv ->
      eval iv (pre ++ vs)
        (tile_fold facts u Fresh X lanes st (length pre) (su_loops s) (su_cond s) (su_body s)
           (ECst (array_ty (rev lanes)) zero)) (map Ix (rev li)) = summand_val sg K kv ts s.
    Proof using FACTS AGREE.
      intros has ok LANES BELOW SEES.
      rewrite (tile_fold_ok _ (su_cond s) _ lanes li ok LANES has _ _ _ _ _ _ _ BELOW SEES).
      unfold summand_val. destruct (su_loops s); [congruence | reflexivity].
    Qed.

    Lemma tile_sums_ok lanes li iv X st kv pre l : below li lanes -> below iv X -> sees st (li ++ iv) kv ->
      forallb (fun r => body_reads_ok shapes (su_body r)) l = true -> forallb has_loops l = true ->
      forall start, eval iv (pre ++ vs) (tile_sums facts u X lanes st (length pre) start l) (map Ix (rev li)) =
      fold_left (fun a r => op2 K Add a (summand_val sg K kv ts r)) l
        (eval iv (pre ++ vs) start (map Ix (rev li))).
    Proof using FACTS AGREE.
      intros LANES BELOW SEES ok looped. induction l as [|s more IH]; intros start; [reflexivity|].
      cbn [forallb] in ok, looped. apply andb_true_iff in ok as [ok_s ok].
      apply andb_true_iff in looped as [s_looped looped].
      assert (has : su_loops s <> []) by (unfold has_loops in s_looped; destruct (su_loops s); discriminate).
      cbn [tile_sums fold_left]. rewrite (IH ok looped). f_equal. cbn [Semantics.eval].
      rewrite tile_add_ok by (apply below_rev, LANES). cbn [Semantics.eval nth]. f_equal.
      set (v := eval iv (pre ++ vs) start). change (S (length pre)) with (length (v :: pre)).
      change (v :: pre ++ vs) with ((v :: pre) ++ vs). apply fold_alone_ok; assumption.
    Qed.

    Lemma tile_ok l lanes li iv X st kv pre :
      forallb (fun r => body_reads_ok shapes (su_body r)) l = true ->
      below li lanes -> below iv X -> sees st (li ++ iv) kv ->
      eval iv (pre ++ vs) (tile facts u X lanes st (length pre) l) (map Ix (rev li)) =
      element_val sg K kv ts l.
    Proof using FACTS AGREE.
      intros ok LANES BELOW SEES.
      assert (PLAIN : eval iv (pre ++ vs)
                (lower_axes facts Seq X (length pre) (rev lanes) (map (summand_at st) l))
                (map Ix (rev li)) = element_val sg K kv ts l).
      { rewrite (lower_axes_ok sg K facts FACTS shapes vs ts AGREE).
        - rewrite rev_involutive. apply element_at_val, SEES.
        - rewrite forallb_forall in *. intros s s_in. apply in_map_iff in s_in as (r & s_is & r_in).
          rewrite <- s_is. cbn [summand_at su_body]. rewrite body_at_reads. apply ok, r_in.
        - exact BELOW.
        - apply below_rev, LANES. }
      assert (SUMS : eval iv (pre ++ vs)
                match l with
                | [] => lower_axes facts Seq X (length pre) (rev lanes) []
                | s :: more =>
                    if forallb has_loops l
                    then tile_sums facts u X lanes st (length pre)
                           (tile_fold facts u Fresh X lanes st (length pre) (su_loops s) (su_cond s) (su_body s)
                              (ECst (array_ty (rev lanes)) zero)) more
                    else lower_axes facts Seq X (length pre) (rev lanes) (map (summand_at st) l)
                end (map Ix (rev li)) = element_val sg K kv ts l).
      { destruct l as [|s more]; [exact PLAIN|].
        destruct (forallb has_loops (s :: more)) eqn:all; [|exact PLAIN].
        cbn [forallb] in ok, all. apply andb_true_iff in ok as [ok_s ok]. apply andb_true_iff in all as [s_looped all].
        rewrite (tile_sums_ok lanes li iv X st kv pre more LANES BELOW SEES ok all). cbn [element_val]. f_equal.
        apply fold_alone_ok; try assumption. unfold has_loops in s_looped. destruct (su_loops s); discriminate. }
      set (looped := has_loops).
      unfold tile. fold looped. fold looped in SUMS. destruct (filter looped l) as [|s [|r more]] eqn:only;
        try (destruct l; exact SUMS).
      assert (s_in : In s (filter looped l)) by (rewrite only; left; reflexivity).
      apply filter_In in s_in as [s_in is_looped]. unfold looped, has_loops in is_looped.
      assert (has : su_loops s <> []) by (destruct (su_loops s); discriminate).
      assert (ok_s : body_reads_ok shapes (su_body s) = true) by (rewrite forallb_forall in ok; apply ok, s_in).
      assert (TILE : eval iv (pre ++ vs)
                (tile_fold facts u Fresh X lanes st (length pre) (su_loops s) (su_cond s) (su_body s)
                  (ECst (array_ty (rev lanes)) zero)) (map Ix (rev li)) = summand_val sg K kv ts s).
      { apply fold_alone_ok; assumption. }
      assert (BOTH : eval iv (pre ++ vs)
                (ELet (tile_fold facts u Fresh X lanes st (length pre) (su_loops s) (su_cond s) (su_body s)
                        (ECst (array_ty (rev lanes)) zero))
                   (lane_sums facts X (rev lanes) (S (length pre)) 0 (map (summand_at st) l)))
                (map Ix (rev li)) = element_val sg K kv ts l).
      { cbn [Semantics.eval].
        set (v := eval iv (pre ++ vs) (tile_fold facts u Fresh X lanes st (length pre) (su_loops s) (su_cond s)
                    (su_body s) (ECst (array_ty (rev lanes)) zero))) in *.
        change (S (length pre)) with (length (v :: pre)). change (v :: pre ++ vs) with ((v :: pre) ++ vs).
        rewrite (lane_sums_ok (rev lanes) (map (summand_at st) l)); [| |exact BELOW|apply below_rev, LANES].
        - rewrite rev_involutive. cbn [app nth]. rewrite TILE. apply sum_val_is; [exact SEES|].
          intros r r_in r_looped. assert (r_only : In r (filter looped l)).
          { apply filter_In. split; [exact r_in|]. unfold looped, has_loops. destruct (su_loops r); [congruence | reflexivity]. }
          rewrite only in r_only. destruct r_only as [r_is|[]]. subst r. reflexivity.
        - rewrite forallb_forall in *. intros q q_in. apply in_map_iff in q_in as (r & q_is & r_in).
          rewrite <- q_is. cbn [summand_at su_body]. rewrite body_at_reads. apply ok, r_in. }
      destruct l as [|r [|q more]]; try exact BOTH.
      destruct s_in as [s_is|[]]. subst r. exact TILE.
    Qed.
  End STATEMENT.
End VALUES.
