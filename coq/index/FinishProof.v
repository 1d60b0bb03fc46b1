(** A tile of sums that is finished before it is stored holds what a pass over the sums would leave.

    [end_val]          what is done to a number
    [past_val]         it is the same under more tensors
    [lane_ends_ok]     for every element of a tile
    [ending_val]       what is done to a local's elements is what the statement says of them *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing array.Check.
From Vouch Require Import array.IndexProof.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Tile index.TileProof.
From Vouch Require Import index.Tabulate index.TabulateProof index.Finish.
Import ListNotations.

Lemma is_itself_is e : is_itself e = true -> e = itself.
Proof. destruct e as [| |[|t] [|p s]| | | | |]; try discriminate. reflexivity. Qed.

Lemma is_itself_at st e : is_itself (ibody_at st e) = is_itself e.
Proof. destruct e as [| |[|t] [|p s]| | | | |]; reflexivity. Qed.

Lemma is_itself_past m e : is_itself (past m e) = is_itself e.
Proof. destruct e as [| |[|t] [|p s]| | | | |]; reflexivity. Qed.

Lemma past_reads shape between shapes e :
  body_reads_ok (shape :: shapes) e = true ->
  body_reads_ok (shape :: between ++ shapes) (past (length between) e) = true.
Proof.
  assert (AT : forall t, nth_error (shape :: between ++ shapes) (behind (length between) t) = nth_error (shape :: shapes) t).
  { intros [|t]; [reflexivity|]. cbn [behind nth_error]. rewrite nth_error_app2 by lia. f_equal. lia. }
  induction e as [c|i|u r|x IHx n u r q|o a IHa|o a IHa c IHc|o a IHa c IHc e IHe|g a IHa c IHc];
    cbn [past body_reads_ok]; rewrite ?AT, ?andb_true_iff; intuition.
Qed.

Lemma at_number_reads shape shapes s b : reads_own s b = true ->
  body_reads_ok (shape :: shapes) b = true -> body_reads_ok ([] :: shapes) (at_number b) = true.
Proof.
  induction b as [c|i|[|u] r|x IHx n [|u] r q|o a IHa|o a IHa c IHc|o a IHa c IHc e IHe|g a IHa c IHc];
    cbn [at_number body_reads_ok reads_own Nat.eqb negb andb nth_error]; rewrite ?andb_true_iff;
    try discriminate; intuition.
Qed.

Lemma end_terms_reads shapes l : forallb (fun r => body_reads_ok shapes (su_body r)) l = true ->
  body_reads_ok shapes (end_terms l) = true.
Proof.
  assert (TERM : forall s, body_reads_ok shapes (su_body s) = true -> body_reads_ok shapes (end_term s) = true).
  { intros s ok. unfold end_term. destruct (su_cond s); cbn [body_reads_ok]; rewrite ?ok; reflexivity. }
  destruct l as [|s more]; [reflexivity|]. cbn [forallb end_terms]. rewrite andb_true_iff. intros [ok_s ok].
  pose proof (TERM s ok_s) as ok_t. clear ok_s. generalize dependent (end_term s).
  induction more as [|r more IH]; intros a ok_a; [exact ok_a|]. cbn [forallb fold_left] in *.
  apply andb_true_iff in ok as [ok_r ok]. apply (IH ok). cbn [body_reads_ok]. rewrite ok_a. apply TERM, ok_r.
Qed.

Section VALUES.
  Context (sg : nat -> nat) (K : scalars).
  Context (facts : list fact) (FACTS : facts_hold sg facts).

  Notation below := (below sg).
  Notation eval := (eval sg K).

  (** What is done to the number x. *)
  Definition end_val (iv : list nat) (ts : list (tensor K)) (e : ibody) (x : num K) : num K :=
    body_val sg K iv ((fun _ => x) :: ts) e.

  Lemma end_itself iv ts e x : is_itself e = true -> end_val iv ts e x = x.
  Proof using. intros is. rewrite (is_itself_is e is). reflexivity. Qed.

  Lemma end_at_val st iv kv ts e x : sees sg st iv kv -> end_val iv ts (ibody_at st e) x = end_val kv ts e x.
  Proof using. intros SEES. exact (body_at_val sg st iv kv SEES K _ e). Qed.

  Lemma past_val iv first between ts e :
    body_val sg K iv (first :: between ++ ts) (past (length between) e) = body_val sg K iv (first :: ts) e.
  Proof using.
    assert (AT : forall t, read K (first :: between ++ ts) (behind (length between) t) = read K (first :: ts) t).
    { intros [|t]; [reflexivity|]. unfold read. cbn [behind nth]. apply app_nth2_plus. }
    induction e as [c|i|u r|x IHx n u r q|o a IHa|o a IHa c IHc|o a IHa c IHc e IHe|g a IHa c IHc];
      cbn [past body_val]; rewrite ?AT, ?IHx, ?IHa, ?IHc, ?IHe; try reflexivity.
    apply gathered_ext. intros k k_lt. apply element_at_ext. intros indices. rewrite AT. reflexivity.
  Qed.

  Section TILE.
    Context (shapes : list (list size)) (vs : list (value K)) (ts : list (tensor K)).
    Context (AGREE : agree sg K shapes vs ts).

    Lemma lane_ends_ok lanes e : body_reads_ok ([] :: shapes) e = true ->
      forall iv X pre v at_lanes, below iv X -> below at_lanes lanes ->
      eval iv (v :: pre ++ vs) (lane_ends facts X lanes (length pre) e) (map Ix at_lanes) =
      end_val (rev at_lanes ++ iv) ts e (v (map Ix at_lanes)).
    Proof using FACTS AGREE.
      intros ok. induction lanes as [|n more IH]; intros iv X pre v at_lanes BELOW INSIDE.
      - inversion INSIDE. subst at_lanes. cbn [lane_ends map rev app].
        pose proof (agree_tab sg K [] shapes (fun _ => v []) v pre vs ts AGREE) as TAB.
        assert (NUMBER : forall indices, below indices [] -> v (map Ix indices) = v [])
          by (intros indices none; inversion none; reflexivity).
        specialize (TAB NUMBER).
        pose proof (lower_body_ok sg K facts FACTS iv X BELOW _ _ _ TAB [] (past (length pre) e)) as BODY.
        cbn [app length] in BODY.
        pose proof (past_reads [] (repeat [] (length pre)) shapes e ok) as PAST.
        rewrite repeat_length in PAST. refine (eq_trans (BODY PAST) _).
        unfold end_val, tensors_tab. rewrite <- (map_length (tensor_of K) pre). apply past_val.
      - inversion INSIDE as [|i m rest more_is i_lt REST]. subst.
        cbn [lane_ends map Semantics.eval rev nth]. rewrite <- app_assoc. cbn [app].
        set (elem := fun r => v (Ix i :: r)).
        apply (IH (i :: iv) (n :: X) (v :: pre) elem rest); [constructor; assumption | exact REST].
    Qed.

    Lemma finished_ok e lanes li iv X pre sums x : body_reads_ok ([] :: shapes) e = true ->
      below iv X -> below li lanes ->
      eval iv (pre ++ vs) sums (map Ix (rev li)) = x ->
      eval iv (pre ++ vs) (finished facts X lanes (length pre) e sums) (map Ix (rev li)) =
      end_val (li ++ iv) ts e x.
    Proof using FACTS AGREE.
      intros ok BELOW LANES sums_are. unfold finished. destruct (is_itself e) eqn:is.
      - rewrite end_itself by exact is. exact sums_are.
      - cbn [Semantics.eval]. rewrite lane_ends_ok; [|exact ok | exact BELOW | apply below_rev, LANES].
        rewrite rev_involutive, sums_are. reflexivity.
    Qed.
  End TILE.

  (** The target's indices, read from a tensor of its extents. *)
  Lemma own_places extents : forall indices kv, below indices extents ->
    all_inside sg (rev indices ++ kv) (own extents) = true /\
    places sg (rev indices ++ kv) (own extents) = indices.
  Proof using.
    induction extents as [|n more IH]; intros indices kv INSIDE; inversion INSIDE as [|i m rest more_is i_lt REST]; subst;
      [split; reflexivity|].
    cbn [rev]. rewrite <- app_assoc. cbn [app]. specialize (IH rest (i :: kv) REST) as [inside at_rest].
    assert (long := below_length sg _ _ REST).
    assert (here : iterm_val sg (rev rest ++ i :: kv) (IVar (length more)) = Z.of_nat i).
    { cbn [iterm_val]. rewrite app_nth2; rewrite rev_length; [|lia]. rewrite long, Nat.sub_diag. reflexivity. }
    unfold all_inside, places in *. cbn [own forallb map fst snd]. rewrite here, inside, at_rest, Nat2Z.id.
    split; [|reflexivity]. unfold Kernel.inside. rewrite andb_true_r.
    apply andb_true_iff. split; [apply Z.leb_le | apply Z.ltb_lt]; lia.
  Qed.

  Lemma at_number_val extents indices kv first ts b : below indices extents -> reads_own (own extents) b = true ->
    end_val (rev indices ++ kv) ts (at_number b) (first indices) = body_val sg K (rev indices ++ kv) (first :: ts) b.
  Proof using.
    intros INSIDE. destruct (own_places extents indices kv INSIDE) as [inside places_are].
    unfold end_val.
    induction b as [c|i|[|u] r|x IHx n [|u] r q|o a IHa|o a IHa c IHc|o a IHa c IHc e IHe|g a IHa c IHc];
      cbn [at_number reads_own body_val Nat.eqb negb andb]; rewrite ?andb_true_iff; intros fits; try discriminate; try reflexivity.
    - destruct (subscripts_eq_dec r (own extents)) as [r_is|]; [subst r | discriminate].
      rewrite inside. unfold places in places_are. unfold read. cbn [nth itself body_val all_inside forallb map].
      rewrite places_are. reflexivity.
    - rewrite IHx by exact fits. reflexivity.
    - rewrite IHa by exact fits. reflexivity.
    - destruct fits as [fits_a fits_c]. rewrite IHa, IHc by assumption. reflexivity.
    - destruct fits as [[fits_a fits_c] fits_e]. rewrite IHa, IHc, IHe by assumption. reflexivity.
    - destruct fits as [fits_a fits_c]. rewrite IHa, IHc by assumption. reflexivity.
  Qed.

  Lemma end_terms_val iv ts l : forallb (fun r => length (su_loops r) =? 0) l = true ->
    body_val sg K iv ts (end_terms l) = element_val sg K iv ts l.
  Proof using.
    assert (TERM : forall s, (length (su_loops s) =? 0) = true ->
              body_val sg K iv ts (end_term s) = summand_val sg K iv ts s).
    { intros s plain. unfold end_term, summand_val. destruct (su_loops s); [|discriminate].
      destruct (su_cond s); reflexivity. }
    destruct l as [|s more]; [reflexivity|]. cbn [forallb end_terms element_val].
    rewrite andb_true_iff. intros [plain_s plain]. rewrite <- (TERM s plain_s). generalize (end_term s).
    induction more as [|r more IH]; intros a; [reflexivity|]. cbn [forallb fold_left] in *.
    apply andb_true_iff in plain as [plain_r plain]. rewrite (IH plain). cbn [body_val].
    rewrite (TERM r plain_r). reflexivity.
  Qed.

  (** [first]: the local that the statement finishes. *)
  Lemma ending_val s indices first ts : ending_ok s = true -> below indices (st_extents s) ->
    end_val (rev indices) ts (ending s) (first indices) = statement_val sg K (first :: ts) s indices.
  Proof using.
    unfold ending_ok, ending, statement_val. rewrite andb_true_iff. intros [plain fits] INSIDE.
    rewrite <- (end_terms_val _ _ _ plain). rewrite <- (app_nil_r (rev indices)).
    apply (at_number_val (st_extents s)); assumption.
  Qed.

  Lemma ending_reads shape shapes s : ending_ok s = true ->
    statement_reads_ok (shape :: shapes) s = true -> body_reads_ok ([] :: shapes) (ending s) = true.
  Proof using.
    unfold ending_ok. rewrite andb_true_iff. intros [_ fits] ok.
    exact (at_number_reads shape shapes _ _ fits (end_terms_reads _ _ ok)).
  Qed.
End VALUES.
