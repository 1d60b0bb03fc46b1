(** The functional program of a kernel in index notation computes that kernel; index terms are those of LowerTerms.v.

    [lower_correct]    the program's value is the kernel's, at every element of the output
    [ComputesIndex]    what a certificate says of a kernel in index notation *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing array.Check.
From Vouch Require Import array.IndexProof.
From Vouch Require Import imp.Flat imp.Threads lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Print certify.Canonical certify.Parse.
From Vouch Require Import certify.Certificate.
From Vouch Require Import index.Kernel index.Lower.
From Vouch Require Export index.LowerTerms.
Import ListNotations.

Section VALUES.
  Context (sg : nat -> nat) (K : scalars).
  Context (facts : list fact) (FACTS : facts_hold sg facts).

  Notation below := (below sg).
  Notation iterm_val := (iterm_val sg).

  (** Where shapes are known, values and tensors agree within them; elsewhere everywhere. *)
  Definition agree (shapes : list (list size)) (vs : list (value K)) (ts : list (tensor K)) : Prop :=
    forall t indices,
      match nth_error shapes t with Some e => below indices e | None => True end ->
      nth t vs (zero_value K) (map Ix indices) = read K ts t indices.

  Notation eval := (eval sg K).

  Section BODY.
    Context (iv : list nat) (X : list size) (BELOW : below iv X).
    Context (shapes : list (list size)) (vs : list (value K)) (ts : list (tensor K)).
    Context (AGREE : agree shapes vs ts).
    Context (pre : list (value K)).

    Definition positions (s : list (iterm * size)) : list nat :=
      map (fun p => Z.to_nat (iterm_val iv (fst p))) s.

    Lemma positions_below s : all_inside sg iv s = true -> below (positions s) (map snd s).
    Proof using.
      induction s as [|[t n] s IHs]; cbn; [constructor|].
      intros all. apply andb_true_iff in all as [here all]. unfold inside in here.
      apply andb_true_iff in here as [low high]. apply Z.leb_le in low. apply Z.ltb_lt in high.
      constructor; [lia | apply IHs, all].
    Qed.

    Lemma reads_through s e q :
      eval iv (pre ++ vs) (fold_left (fun e p => read_at facts X (fst p) (snd p) e) s e) q =
      (if all_inside sg iv s then eval iv (pre ++ vs) e (map Ix (positions s) ++ q)
       else cst K zero).
    Proof using FACTS BELOW.
      revert e. induction s as [|[t n] s IHs]; intros e; [reflexivity|].
      cbn [fold_left fst snd]. rewrite IHs.
      rewrite (read_at_ok sg facts FACTS iv X BELOW).
      change (all_inside sg iv ((t, n) :: s))
        with (inside (iterm_val iv t) (size_val sg n) && all_inside sg iv s).
      destruct (all_inside sg iv s), (inside (iterm_val iv t) (size_val sg n)); reflexivity.
    Qed.

  End BODY.

  Lemma lift_first_val iv k t : iterm_val (k :: iv) (iterm_lift 0 t) = iterm_val iv t.
  Proof using.
    induction t as [i|z|s|a IHa b IHb|z a IHa|a IHa m|a IHa m]; cbn [iterm_lift Kernel.iterm_val];
      rewrite ?IHa, ?IHb; reflexivity.
  Qed.

  Lemma lifted_inside iv k s : all_inside sg (k :: iv) (lifted s) = all_inside sg iv s.
  Proof using.
    unfold lifted. induction s as [|[t n] s IHs]; [reflexivity|].
    cbn [map fst snd all_inside forallb]. rewrite lift_first_val. f_equal. exact IHs.
  Qed.

  Lemma lifted_positions iv k s : positions (k :: iv) (lifted s) = places sg iv s.
  Proof using.
    unfold lifted, positions, places. rewrite map_map. apply map_ext. intros [t n]. cbn [fst].
    rewrite lift_first_val. reflexivity.
  Qed.

  Lemma all_inside_app iv s r : all_inside sg iv (s ++ r) = all_inside sg iv s && all_inside sg iv r.
  Proof using. apply forallb_app. Qed.

  Lemma iterate_at_root n (F : nat -> value K -> value K) (G : nat -> num K -> num K) v a :
    (forall j, j < n -> forall w b, w [] = b -> F j w [] = G j b) ->
    v [] = a -> iterate n F v [] = iterate n G a.
  Proof using.
    intros STEP START. induction n as [|n IHn]; [exact START|].
    cbn [iterate]. apply STEP; [lia|]. apply IHn. intros j j_lt. apply STEP. lia.
  Qed.

  Section BODIES.
    Context (iv : list nat) (X : list size) (BELOW : below iv X).
    Context (shapes : list (list size)) (vs : list (value K)) (ts : list (tensor K)).
    Context (AGREE : agree shapes vs ts).
    Context (pre : list (value K)).

    Lemma lower_element_at_ok n t s r (three : list (value K)) k : k < size_val sg n ->
      match nth_error shapes t with
      | Some e => same_extents (map snd s ++ n :: map snd r) e
      | None => true
      end = true -> length three = 3 ->
      eval (k :: iv) (three ++ pre ++ vs)
        (fold_left (fun e p => read_at facts (n :: X) (fst p) (snd p) e) (lifted s ++ (IVar 0, n) :: lifted r)
           (EVar (length pre + 3 + t))) [] = element_at sg K iv ts t s r k.
    Proof using FACTS BELOW AGREE.
      intros k_lt ok three_is. rewrite app_assoc.
      rewrite (reads_through (k :: iv) (n :: X) ltac:(constructor; assumption)), app_nil_r.
      rewrite all_inside_app. unfold element_at.
      change (all_inside sg (k :: iv) ((IVar 0, n) :: lifted r))
        with (inside (Z.of_nat k) (size_val sg n) && all_inside sg (k :: iv) (lifted r)).
      rewrite !lifted_inside. unfold inside at 1.
      replace (0 <=? Z.of_nat k)%Z with true by (symmetry; apply Z.leb_le; lia).
      replace (Z.of_nat k <? Z.of_nat (size_val sg n))%Z with true by (symmetry; apply Z.ltb_lt; lia).
      cbn [andb]. destruct (all_inside sg iv s) eqn:all_s; [|reflexivity].
      destruct (all_inside sg iv r) eqn:all_r; [|reflexivity]. cbn [andb].
      cbn [Semantics.eval]. replace (length pre + 3 + t) with (length (three ++ pre) + t)
        by (rewrite app_length, three_is; lia).
      rewrite app_nth2_plus.
      assert (PLACES : positions (k :: iv) (lifted s ++ (IVar 0, n) :: lifted r) =
                       places sg iv s ++ k :: places sg iv r).
      { unfold positions. rewrite map_app. cbn [map fst Kernel.iterm_val nth].
        rewrite Nat2Z.id. fold (positions (k :: iv) (lifted s)) (positions (k :: iv) (lifted r)).
        rewrite !lifted_positions. reflexivity. }
      rewrite PLACES. apply AGREE. destruct (nth_error shapes t) as [e|]; [|exact I].
      unfold same_extents in ok. destruct (list_eq_dec size_eq_dec _ e) as [e_is|]; [|discriminate].
      rewrite <- e_is. unfold below, in_bounds. rewrite map_app. cbn [map].
      apply Forall2_app; [apply positions_below, all_s|].
      constructor; [exact k_lt | apply positions_below, all_r].
    Qed.

    Lemma lower_body_ok b : body_reads_ok shapes b = true ->
      eval iv (pre ++ vs) (lower_body facts X (length pre) b) [] = body_val sg K iv ts b.
    Proof using FACTS BELOW AGREE.
      induction b as [c|i|t s|x IHx n t s r|o a IHa|o a IHa c IHc|o a IHa c IHc d IHd|g a IHa c IHc];
        cbn [body_reads_ok lower_body body_val]; intros ok.
      - destruct c; reflexivity.
      - set (n := plus_size (upper X (fst (lower_term X i))) (SConst 1)).
        rewrite (read_at_ok sg facts FACTS iv X BELOW).
        cbn [Semantics.eval const_at]. unfold inside.
        pose proof (lower_term_ok sg iv X BELOW i) as I. unfold n.
        destruct (lower_term X i) as [p q]. cbn [fst]. destruct I as (value & plain_p & plain_q).
        pose proof (upper_ok sg iv X BELOW p plain_p) as low. rewrite plus_size_val. cbn [size_val].
        unfold val in value. set (z := iterm_val iv i) in *.
        destruct (Z.leb_spec 0 z) as [above|below_zero]; cbn [andb].
        + destruct (Z.ltb_spec z (Z.of_nat (size_val sg (upper X p) + N.to_nat 1))); [reflexivity | lia].
        + replace (Z.to_nat z) with 0 by lia. reflexivity.
      - rewrite (reads_through iv X BELOW), app_nil_r. cbn [Semantics.eval].
        destruct (all_inside sg iv s) eqn:all; [|reflexivity].
        rewrite app_nth2_plus. apply AGREE.
        destruct (nth_error shapes t) as [e|]; [|exact I].
        unfold same_extents in ok. destruct (list_eq_dec size_eq_dec _ e) as [e_is|]; [|discriminate].
        rewrite <- e_is. apply positions_below, all.
      - apply andb_true_iff in ok as [ok_x ok]. cbn [Semantics.eval]. unfold gathered.
        apply iterate_at_root; [|reflexivity]. intros k k_lt w b w_is.
        cbn [ETer EBin Semantics.eval apply_op nth lay_path const_at]. rewrite w_is.
        rewrite (IHx ok_x).
        match goal with
        | |- op3 K Sel _ ?e _ = _ => replace e with (element_at sg K iv ts t s r k)
        end; [reflexivity|]. symmetry.
        exact (lower_element_at_ok n t s r [_; w; _] k k_lt ok eq_refl).
      - cbn [EUn Semantics.eval apply_op]. rewrite IHa by exact ok. reflexivity.
      - apply andb_true_iff in ok as [ok_a ok_c].
        cbn [EBin Semantics.eval apply_op]. rewrite IHa, IHc by assumption. reflexivity.
      - apply andb_true_iff in ok as [ok ok_d]. apply andb_true_iff in ok as [ok_a ok_c].
        cbn [ETer Semantics.eval apply_op]. rewrite IHa, IHc, IHd by assumption. reflexivity.
      - apply andb_true_iff in ok as [ok_a ok_c]. cbn [Semantics.eval].
        rewrite (lower_cond_ok sg iv X BELOW), IHa, IHc by assumption. reflexivity.
    Qed.
  End BODIES.

  Section STATEMENT.
    Context (shapes : list (list size)) (vs : list (value K)) (ts : list (tensor K)).
    Context (AGREE : agree shapes vs ts).

    Lemma lower_step_ok iv X pre c b elem acc :
      below iv X -> body_reads_ok shapes b = true ->
      eval iv (elem :: acc :: pre ++ vs) (lower_step facts X (length pre + 2) c b) [] =
      (if icond_val sg iv c then op2 K Add (acc []) (body_val sg K iv ts b) else acc []).
    Proof using FACTS AGREE.
      intros BELOW ok.
      assert (MORE : eval iv (elem :: acc :: pre ++ vs)
                (EBin Add (EVar 1) (lower_body facts X (length pre + 2) b)) [] =
              op2 K Add (acc []) (body_val sg K iv ts b)).
      { cbn [EBin Semantics.eval apply_op nth].
        rewrite <- (lower_body_ok iv X BELOW shapes vs ts AGREE (elem :: acc :: pre) b ok).
        cbn [length app]. rewrite Nat.add_comm. reflexivity. }
      unfold lower_step. destruct c; [exact MORE | ..].
      all: cbn [Semantics.eval]; rewrite (lower_cond_ok sg iv X BELOW), MORE; reflexivity.
    Qed.

    Lemma lower_fold_ok loops c b : body_reads_ok shapes b = true -> loops <> [] ->
      forall iv X pre start, below iv X ->
      eval iv (pre ++ vs) (lower_fold facts X (length pre) loops c b start) [] =
      fold_val sg K loops c b iv ts (eval iv (pre ++ vs) start []).
    Proof using FACTS AGREE.
      intros ok. induction loops as [|n inner IH]; [congruence|].
      intros _ iv X pre start BELOW. cbn [lower_fold Semantics.eval fold_val size_val].
      apply iterate_at_root; [|reflexivity]. intros j j_lt w a w_is. subst a.
      assert (BELOW_j : below (j :: iv) (n :: X)) by (constructor; assumption).
      set (elem := fun r => eval iv (pre ++ vs) (zeros n) (Ix j :: r)).
      destruct inner as [|m inner].
      - apply lower_step_ok; assumption.
      - rewrite Nat.add_comm.
        apply (IH ltac:(discriminate) (j :: iv) (n :: X) (elem :: w :: pre) (EVar 1) BELOW_j).
    Qed.

    Lemma lower_summand_ok s iv X pre :
      body_reads_ok shapes (su_body s) = true -> below iv X ->
      eval iv (pre ++ vs) (lower_summand facts X (length pre) s) [] = summand_val sg K iv ts s.
    Proof using FACTS AGREE.
      intros ok BELOW. unfold lower_summand, summand_val.
      destruct (su_loops s) as [|n inner].
      - pose proof (lower_body_ok iv X BELOW shapes vs ts AGREE pre (su_body s) ok) as BODY.
        destruct (su_cond s) eqn:c_is; [exact BODY | ..].
        all: cbn [Semantics.eval]; rewrite (lower_cond_ok sg iv X BELOW), BODY; reflexivity.
      - apply (lower_fold_ok (n :: inner)); [exact ok | discriminate | exact BELOW].
    Qed.

    Lemma lower_element_ok l iv X pre :
      forallb (fun r => body_reads_ok shapes (su_body r)) l = true -> below iv X ->
      eval iv (pre ++ vs) (lower_element facts X (length pre) l) [] = element_val sg K iv ts l.
    Proof using FACTS AGREE.
      intros ok BELOW. destruct l as [|s more]; [reflexivity|].
      cbn [forallb] in ok. apply andb_true_iff in ok as [ok_s ok].
      unfold lower_element, element_val.
      assert (START := lower_summand_ok s iv X pre ok_s BELOW).
      revert START ok.
      generalize (lower_summand facts X (length pre) s) as e, (summand_val sg K iv ts s) as a.
      induction more as [|r more IH]; intros e a START ok; [exact START|].
      cbn [forallb] in ok. apply andb_true_iff in ok as [ok_r ok].
      cbn [fold_left]. apply IH; [|exact ok].
      cbn [EBin Semantics.eval apply_op].
      rewrite START, (lower_summand_ok r iv X pre ok_r BELOW). reflexivity.
    Qed.

    Lemma lower_axes_ok l extents :
      forallb (fun r => body_reads_ok shapes (su_body r)) l = true ->
      forall k iv X pre indices, below iv X -> below indices extents ->
      eval iv (pre ++ vs) (lower_axes facts k X (length pre) extents l) (map Ix indices) =
      element_val sg K (rev indices ++ iv) ts l.
    Proof using FACTS AGREE.
      intros ok. induction extents as [|n more IH]; intros k iv X pre indices BELOW INSIDE.
      - inversion INSIDE. subst indices. apply lower_element_ok; assumption.
      - inversion INSIDE as [|i m rest more_is i_lt REST]. subst.
        cbn [lower_axes map Semantics.eval rev].
        set (elem := fun r => eval iv (pre ++ vs) (zeros n) (Ix i :: r)).
        rewrite <- app_assoc. cbn [app].
        apply (IH (if is_one n then k else Seq) (i :: iv) (n :: X) (elem :: pre) rest);
          [constructor; assumption | exact REST].
    Qed.

    Lemma lower_statement_ok s indices :
      statement_reads_ok shapes s = true -> below indices (st_extents s) ->
      eval [] vs (lower_statement facts s) (map Ix indices) = statement_val sg K ts s indices.
    Proof using FACTS AGREE.
      intros ok INSIDE. unfold lower_statement, statement_val.
      pose proof (lower_axes_ok (st_summands s) (st_extents s) ok Par [] [] [] indices
                    ltac:(constructor) INSIDE) as AXES.
      rewrite app_nil_r in AXES. exact AXES.
    Qed.
  End STATEMENT.

  Lemma lower_locals_ok l last : forall shapes vs ts indices,
    agree shapes vs ts -> locals_reads_ok shapes l last = true ->
    below indices (st_extents last) ->
    eval [] vs (lower_locals facts l last) (map Ix indices) =
    statement_val sg K (locals_val sg K ts l) last indices.
  Proof using FACTS.
    induction l as [|s more IH]; intros shapes vs ts indices AGREE ok INSIDE.
    - apply (lower_statement_ok shapes); assumption.
    - cbn [locals_reads_ok] in ok. apply andb_true_iff in ok as [ok_s ok].
      cbn [lower_locals Semantics.eval locals_val].
      apply (IH (st_extents s :: shapes)); [|exact ok | exact INSIDE].
      intros [|t] at_t; cbn [nth_error nth]; unfold read; cbn [nth].
      + intros at_below. apply (lower_statement_ok shapes); assumption.
      + apply AGREE.
  Qed.

  (** An input as a tensor. *)
  Definition tensor_of (v : value K) : tensor K := fun indices => v (map Ix indices).

  Lemma agree_inputs vs : agree [] vs (map tensor_of vs).
  Proof using.
    intros t indices _. unfold read. revert t.
    induction vs as [|v vs IH]; intros [|t]; cbn; try reflexivity. apply IH.
  Qed.
End VALUES.

Theorem lower_correct sg K k vs indices :
  facts_hold sg (ik_facts k) -> reads_ok k = true -> below sg indices (st_extents (ik_output k)) ->
  eval sg K [] vs (lower k) (map Ix indices) =
  ikernel_val sg K (map (tensor_of K) vs) k indices.
Proof.
  intros FACTS ok INSIDE.
  apply (lower_locals_ok sg K (ik_facts k) FACTS _ _ [] _ _ _ (agree_inputs sg K vs) ok INSIDE).
Qed.

(** The functional program [k] has the kernel's facts, inputs and output, and its value at every
    element is the kernel's, for all sizes of which the facts hold. With [Certified k text] the C
    text computes the kernel. *)
Definition ComputesIndex (ik : ikernel) (k : source) : Prop :=
  kernel_facts k = ik_facts ik /\
  kernel_inputs k = ik_inputs ik /\
  kernel_output k = array_ty (st_extents (ik_output ik)) /\
  forall sg, facts_hold sg (ik_facts ik) ->
  forall K m indices, below sg indices (st_extents (ik_output ik)) ->
    kernel_value sg K k m (map Ix indices) =
    ikernel_val sg K (map (tensor_of K) (input_values sg K (kernel_inputs k) m)) ik indices.

Definition lowers_to (ik : ikernel) (k : source) : Prop :=
  (kernel_facts k, kernel_inputs k, kernel_output k, kernel_term k, reads_ok ik) =
  (ik_facts ik, ik_inputs ik, array_ty (st_extents (ik_output ik)), lower ik, true).

Theorem lowers_to_sound ik k : lowers_to ik k -> ComputesIndex ik k.
Proof.
  intros same. unfold lowers_to in same. inversion same as [[facts inputs output term ok]].
  split; [exact facts|]. split; [exact inputs|]. split; [exact output|].
  intros sg FACTS K m indices INSIDE. unfold kernel_value. rewrite term, inputs.
  apply lower_correct; assumption.
Qed.

(** All together: under every interleaving, the text leaves the kernel's elements in the output. *)
Theorem certified_index ik k text : Certified k text -> ComputesIndex ik k ->
  exists f, parse text = Some f /\
  forall sg, facts_hold sg (kernel_facts k) ->
  let D := ty_val sg (kernel_output k) in
  forall K junk ie m t, behaves sg K junk (file_body f) ie t ->
  forall indices, below sg indices (st_extents (ik_output ik)) -> inb D (map Ix indices) ->
  run K t m (List.length (kernel_inputs k)) (place_of D (map Ix indices)) =
  ikernel_val sg K (map (tensor_of K) (input_values sg K (kernel_inputs k) m)) ik indices.
Proof.
  intros [(_ & parsed & COMPUTES & _) _] (facts & _ & _ & VALUE). exists (file_of k).
  split; [exact parsed|]. intros sg FACTS D K junk ie m t RUNS indices INSIDE inside.
  destruct (COMPUTES sg FACTS K junk ie m t RUNS) as (result & _).
  etransitivity; [exact (result _ inside)|]. rewrite facts in FACTS. apply (VALUE sg FACTS), INSIDE.
Qed.
