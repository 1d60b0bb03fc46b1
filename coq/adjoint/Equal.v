(** Equal bodies, in any commutative ring, where a condition on the indices holds.

    Sums, products and integer constants are normalised as polynomials (the standard library's
    [Pol], on which [ring] stands); what else there is are atoms. Atoms are compared as trees,
    their subscripts by [entails]. What has an inverse may stand below: bodies are fractions, which
    are equal if they are when multiplied crosswise. The exponential of a sum is the product of
    exponentials, and that of an opposite is the inverse.

    [bodies_equal facts cond a b]   sound by [bodies_equal_sound] *)

From Coq Require Import Arith ZArith NArith List Bool Lia Ring_theory Ring_polynom InitialRing BinList.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics index.Kernel.
From Vouch Require Import adjoint.Points adjoint.Entail adjoint.Rings adjoint.Decide.
Import ListNotations.
Local Open Scope lazy_bool_scope.

Section EQUAL.
  Context (facts : list fact) (cond : icond).

  Definition same_term (a b : iterm) : bool := is_yes (iterm_eq_dec a b) ||| entails facts cond (CEq a b).

  Definition same_cond (g h : icond) : bool :=
    is_yes (icond_eq_dec g h) |||
    (entails facts (CAnd cond g) h &&& entails facts (CAnd cond h) g).

  Fixpoint same_subscripts (s t : list (iterm * size)) : bool :=
    match s, t with
    | [], [] => true
    | (a, n) :: s1, (b, m) :: t1 => size_eqb n m &&& same_term a b &&& same_subscripts s1 t1
    | _, _ => false
    end.

  Fixpoint same_body (a b : ibody) : bool :=
    match a, b with
    | BCon c, BCon d => is_yes (const_eq_dec c d)
    | BIndex i, BIndex j => same_term i j
    | BRead t s, BRead u r => Nat.eqb t u &&& same_subscripts s r
    | BGather x n t s r, BGather y m u q w =>
        same_body x y &&& is_yes (size_eq_dec n m) &&& Nat.eqb t u &&& same_subscripts s q &&& same_subscripts r w
    | BOp1 o a1, BOp1 p b1 => is_yes (uop_eq_dec o p) &&& same_body a1 b1
    | BOp2 o a1 a2, BOp2 p b1 b2 => is_yes (bop_eq_dec o p) &&& (same_body a1 b1 &&& same_body a2 b2)
    | BOp3 o a1 a2 a3, BOp3 p b1 b2 b3 =>
        is_yes (top_eq_dec o p) &&& (same_body a1 b1 &&& (same_body a2 b2 &&& same_body a3 b3))
    | BIf g a1 a2, BIf h b1 b2 => same_cond g h &&& (same_body a1 b1 &&& same_body a2 b2)
    | _, _ => false
    end.

  Fixpoint index_of (b : ibody) (atoms : list ibody) : option nat :=
    match atoms with
    | [] => None
    | a :: r => if same_body b a then Some 0 else option_map S (index_of b r)
    end.

  Definition atom (atoms : list ibody) (b : ibody) : option (PExpr Z) :=
    option_map (fun k => PEX Z (Pos.of_succ_nat k)) (index_of b atoms).

  Definition lift2 {A} (f : A -> A -> A) (a b : option A) : option A :=
    match a, b with Some x, Some y => Some (f x y) | _, _ => None end.

  Definition reciprocal (b : ibody) : ibody := BOp2 Div (BCon one) b.

  Definition indicator (c : ibody) : ibody := BOp3 Sel c (BCon one) (BCon zero).
  Definition is_con (c d : const) : bool := is_yes (const_eq_dec c d).

  Fixpoint is_truth (c : ibody) : bool :=
    match c with
    | BCon a => is_con a one ||| is_con a zero
    | BOp1 (Cast _ _) a => is_truth a
    | BOp2 Min a b | BOp2 Max a b => is_truth a &&& is_truth b
    | BOp2 o _ _ => is_comparison o
    | BOp3 Sel _ a b => is_truth a &&& is_truth b
    | BIf _ a b => is_truth a &&& is_truth b
    | _ => false
    end.

  (** Above and below. *)
  Definition fraction : Type := (PExpr Z * PExpr Z)%type.

  Definition plain (p : PExpr Z) : fraction := (p, PEc 1%Z).
  Definition opposite (p : fraction) : fraction := (PEopp (fst p), snd p).
  Definition plus (p q : fraction) : fraction :=
    (PEadd (PEmul (fst p) (snd q)) (PEmul (fst q) (snd p)), PEmul (snd p) (snd q)).
  Definition times (p q : fraction) : fraction := (PEmul (fst p) (fst q), PEmul (snd p) (snd q)).
  Definition inverse (p : fraction) : fraction := (snd p, fst p).

  (** Whether a body is positive whatever is read, and whether it has an exponential in it. *)
  Fixpoint positivity (b : ibody) : option bool :=
    match b with
    | BCon (Dyadic m _) => if (0 <? m)%Z then Some false else None
    | BOp1 Exp _ => Some true
    | BOp2 Add a c | BOp2 Mul a c =>
        match positivity a, positivity c with Some p, Some q => Some (p || q)%bool | _, _ => None end
    | _ => None
    end.
  Definition has_inverse (b : ibody) : bool := match positivity b with Some true => true | _ => false end.

  (** The exponential of a body. *)
  Fixpoint exponential (atoms : list ibody) (b : ibody) : option fraction :=
    match b with
    | BOp1 Neg a => option_map inverse (exponential atoms a)
    | BOp2 Add a c => lift2 times (exponential atoms a) (exponential atoms c)
    | BOp2 Sub a c => lift2 times (exponential atoms a) (option_map inverse (exponential atoms c))
    | _ => option_map plain (atom atoms (BOp1 Exp b))
    end.

  (** i*p + (1 - i)*q *)
  Definition mixed (p q : fraction) (i : PExpr Z) : fraction := plus (times (plain i) (plus p (opposite q))) q.

  (** A choice between polynomials: conditions that are choices themselves are taken apart. *)
  Fixpoint choose (atoms : list ibody) (c : ibody) (p q : fraction) : option fraction :=
    let leaf := option_map (mixed p q) (atom atoms (indicator c)) in
    match c with
    | BCon a => if is_con a one then Some p else if is_con a zero then Some q else leaf
    | BOp1 (Cast _ _) a => if is_truth a then choose atoms a p q else leaf
    | BOp2 LessEq a b => option_map (mixed q p) (atom atoms (indicator (BOp2 Less b a)))
    | BOp2 Min a b =>
        if is_truth a &&& is_truth b
        then match choose atoms b p q with Some r => choose atoms a r q | None => None end else leaf
    | BOp2 Max a b =>
        if is_truth a &&& is_truth b
        then match choose atoms b p q with Some r => choose atoms a p r | None => None end else leaf
    | BOp3 Sel d a b =>
        match choose atoms a p q, choose atoms b p q with
        | Some r, Some s => choose atoms d r s
        | _, _ => None
        end
    | BIf g a b =>
        if entails facts cond g then choose atoms a p q
        else if entails facts cond (CNot g) then choose atoms b p q else leaf
    | _ => leaf
    end.

  Fixpoint quotient (atoms : list ibody) (b : ibody) : option fraction :=
    let leaf := option_map plain (atom atoms b) in
    match b with
    | BCon (Dyadic m e) => if (0 <=? e)%Z then Some (plain (PEc (m * 2 ^ e)%Z)) else leaf
    | BOp1 Neg a => option_map opposite (quotient atoms a)
    | BOp1 Exp a => exponential atoms a
    | BOp2 Add a c => lift2 plus (quotient atoms a) (quotient atoms c)
    | BOp2 Sub a c => lift2 plus (quotient atoms a) (option_map opposite (quotient atoms c))
    | BOp2 Mul a c => lift2 times (quotient atoms a) (quotient atoms c)
    | BOp2 Div a c =>
        let fix below (d : ibody) : option fraction :=
          let whole :=
            if has_inverse d then option_map inverse (quotient atoms d)
            else option_map plain (atom atoms (reciprocal d)) in
          match d with BOp2 Mul x y => lift2 times (below x) (below y) | _ => whole end in
        lift2 times (quotient atoms a) (below c)
    | BOp3 Sel c x y =>
        match quotient atoms x, quotient atoms y with
        | Some p, Some q => choose atoms c p q
        | _, _ => None
        end
    | BIf g a c =>
        if entails facts cond g then quotient atoms a
        else if entails facts cond (CNot g) then quotient atoms c
        else leaf
    | _ => leaf
    end.

  (** One by a body, as [quotient] has it. *)
  Definition divisor (atoms : list ibody) : ibody -> option fraction :=
    fix below (d : ibody) : option fraction :=
      let whole :=
        if has_inverse d then option_map inverse (quotient atoms d)
        else option_map plain (atom atoms (reciprocal d)) in
      match d with BOp2 Mul x y => lift2 times (below x) (below y) | _ => whole end.

  (** All that may be asked of [atoms]; nothing is owed to it. *)
  Fixpoint conditions_of (c : ibody) : list ibody :=
    match c with
    | BOp1 (Cast _ _) a => indicator c :: conditions_of a
    | BOp2 LessEq a b => [indicator (BOp2 Less b a)]
    | BOp2 Min a b | BOp2 Max a b => indicator c :: conditions_of a ++ conditions_of b
    | BOp3 Sel d a b => conditions_of d ++ conditions_of a ++ conditions_of b
    | BIf _ a b => indicator c :: conditions_of a ++ conditions_of b
    | _ => [indicator c]
    end.

  Fixpoint exponents_of (b : ibody) : list ibody :=
    match b with
    | BOp1 Neg a => exponents_of a
    | BOp2 Add a c | BOp2 Sub a c => exponents_of a ++ exponents_of c
    | _ => [BOp1 Exp b]
    end.

  Fixpoint atoms_of (b : ibody) : list ibody :=
    match b with
    | BCon (Dyadic m e) => if (0 <=? e)%Z then [] else [b]
    | BOp1 Neg a => atoms_of a
    | BOp1 Exp a => exponents_of a
    | BOp2 Add a c | BOp2 Sub a c | BOp2 Mul a c => atoms_of a ++ atoms_of c
    | BOp2 Div a c =>
        let fix below (d : ibody) : list ibody :=
          let whole := if has_inverse d then atoms_of d else [reciprocal d] in
          match d with BOp2 Mul x y => below x ++ below y | _ => whole end in
        atoms_of a ++ below c
    | BOp3 Sel c x y => conditions_of c ++ atoms_of x ++ atoms_of y
    | BIf g a c => b :: atoms_of a ++ atoms_of c
    | _ => [b]
    end.

  Fixpoint distinct (seen : list ibody) (l : list ibody) : list ibody :=
    match l with
    | [] => seen
    | b :: r => distinct (match index_of b seen with Some _ => seen | None => seen ++ [b] end) r
    end.

  Definition normal_form : PExpr Z -> Pol Z := norm_aux 0%Z 1%Z Z.add Z.mul Z.sub Z.opp Zeq_bool.

  Definition bodies_equal (a b : ibody) : bool :=
    let atoms := distinct [] (atoms_of a ++ atoms_of b) in
    match quotient atoms a, quotient atoms b with
    | Some (p, d), Some (q, e) => Peq Zeq_bool (normal_form (PEmul p e)) (normal_form (PEmul q d))
    | _, _ => false
    end.

  Section SOUND.
    Context (sg : nat -> nat) (K : scalars) (RING : ring_like K) (ts : list (tensor K)) (iv : list nat).
    Context (FACTS : facts_hold sg facts) (COND : icond_val sg iv cond = true).

    Notation value := (body_val sg K iv ts).

    Lemma is_yes_true {P Q : Prop} (d : {P} + {Q}) : is_yes d = true -> P.
    Proof using Type. now destruct d. Qed.

    Lemma same_term_sound a b : same_term a b = true -> iterm_val sg iv a = iterm_val sg iv b.
    Proof using FACTS COND.
      unfold same_term. rewrite <- orb_lazy_alt. intros same. apply orb_true_iff in same as [same|same].
      - now apply is_yes_true in same as ->.
      - apply (entails_sound _ _ _ _ FACTS same) in COND. cbn in COND. now apply Z.eqb_eq in COND.
    Qed.

    Lemma same_cond_sound g h : same_cond g h = true -> icond_val sg iv g = icond_val sg iv h.
    Proof using FACTS COND.
      unfold same_cond. rewrite <- orb_lazy_alt. intros same. apply orb_true_iff in same as [same|same].
      - now apply is_yes_true in same as ->.
      - rewrite <- andb_lazy_alt in same. apply andb_true_iff in same as [there back].
        pose proof (entails_sound _ _ _ _ FACTS there iv) as there'.
        pose proof (entails_sound _ _ _ _ FACTS back iv) as back'. cbn in there', back'. rewrite COND in *. cbn in *.
        destruct (icond_val sg iv g), (icond_val sg iv h); auto. symmetry. auto.
    Qed.

    Lemma same_subscripts_sound s : forall t, same_subscripts s t = true ->
      all_inside sg iv s = all_inside sg iv t /\
      map (fun p => Z.to_nat (iterm_val sg iv (fst p))) s = map (fun p => Z.to_nat (iterm_val sg iv (fst p))) t.
    Proof using FACTS COND.
      induction s as [|[a n] s IHs]; intros [|[b m] t]; cbn [same_subscripts]; try discriminate; [now split|].
      rewrite <- !andb_lazy_alt, !andb_true_iff. intros [[sizes terms] rest]. apply same_term_sound in terms.
      apply (size_eqb_sound sg) in sizes. destruct (IHs t rest) as [inside places]. cbn.
      unfold all_inside in inside. now rewrite terms, sizes, inside, places.
    Qed.

    Lemma same_body_sound a : forall b, same_body a b = true -> value a = value b.
    Proof using FACTS COND.
      induction a as [c|i|t s|x IHx n t before after|o a IHa|o a1 IH1 a2 IH2|o a1 IH1 a2 IH2 a3 IH3|g a1 IH1 a2 IH2]; intros [];
        cbn [same_body]; try discriminate; rewrite <- ?andb_lazy_alt, ?andb_true_iff; cbn [body_val].
      - now intros ->%is_yes_true.
      - now intros ->%same_term_sound.
      - intros [->%Nat.eqb_eq same]. apply same_subscripts_sound in same as [-> ->]. reflexivity.
      - intros ((((same_x & ->%is_yes_true) & ->%Nat.eqb_eq) & same_s) & same_r).
        rewrite (IHx _ same_x). apply gathered_ext. intros k k_lt. unfold element_at, places.
        apply same_subscripts_sound in same_s as [-> ->]. apply same_subscripts_sound in same_r as [-> ->]. reflexivity.
      - intros [->%is_yes_true same]. now rewrite (IHa _ same).
      - intros (->%is_yes_true & same1 & same2). now rewrite (IH1 _ same1), (IH2 _ same2).
      - intros (->%is_yes_true & same1 & same2 & same3). now rewrite (IH1 _ same1), (IH2 _ same2), (IH3 _ same3).
      - intros (same & same1 & same2). now rewrite (same_cond_sound _ _ same), (IH1 _ same1), (IH2 _ same2).
    Qed.

    Notation "'zero_'" := (cst K zero).
    Let laws := ring_laws K RING.
    Add Ring scalar_ring : laws.
    Let setoid : Setoid.Setoid_Theory (num K) eq := Eqsth (num K).
    Let extends : ring_eq_ext (op2 K Add) (op2 K Mul) (op1 K Neg) eq := Eq_ext (op2 K Add) (op2 K Mul) (op1 K Neg).
    Let almost := Rth_ARth setoid extends laws.
    Let morphism := gen_phiZ_morph setoid extends laws.
    Let power := pow_N_th (cst K one) (op2 K Mul) setoid.

    Definition peval (l : list (num K)) (p : PExpr Z) : num K :=
      PEeval (cst K zero) (cst K one) (op2 K Add) (op2 K Mul) (op2 K Sub) (op1 K Neg)
        (gen_phiZ (cst K zero) (cst K one) (op2 K Add) (op2 K Mul) (op1 K Neg))
        id_phi_N (pow_N (cst K one) (op2 K Mul)) l p.

    Lemma skipn_succ {A} n : forall l : list A, skipn (S n) l = tl (skipn n l).
    Proof using Type.
      induction n as [|n IHn]; intros [|x l]; try reflexivity.
      change (skipn (S n) l = tl (skipn n l)). apply IHn.
    Qed.

    Lemma jump_skipn {A} p : forall l : list A, jump p l = skipn (Pos.to_nat p) l.
    Proof using Type.
      induction p as [|p IHp] using Pos.peano_ind; intros l.
      - now destruct l.
      - now rewrite jump_succ, IHp, Pos2Nat.inj_succ, skipn_succ.
    Qed.

    Lemma binary_nth {A} (d : A) k l : BinList.nth d (Pos.of_succ_nat k) l = List.nth k l d.
    Proof using Type.
      change l with (tl (d :: l)) at 1. rewrite nth_jump, jump_skipn, SuccNat2Pos.id_succ. cbn [skipn].
      revert l. induction k as [|k IHk]; intros [|x l]; try reflexivity. apply IHk.
    Qed.

    Lemma index_of_val b atoms k : index_of b atoms = Some k ->
      List.nth k (map value atoms) zero_ = value b.
    Proof using FACTS COND.
      revert k. induction atoms as [|a atoms IHatoms]; cbn; intros k; [discriminate|].
      destruct (same_body b a) eqn:same.
      - injection 1 as <-. symmetry. now apply same_body_sound.
      - destruct (index_of b atoms) as [j|]; [|discriminate]. injection 1 as <-. now apply IHatoms.
    Qed.

    Lemma atom_val atoms b p : atom atoms b = Some p -> peval (map value atoms) p = value b.
    Proof using FACTS COND.
      unfold atom. destruct (index_of b atoms) as [k|] eqn:found; [|discriminate]. injection 1 as <-.
      unfold peval. cbn [PEeval]. rewrite binary_nth. now apply index_of_val.
    Qed.

    Lemma is_con_true a b : is_con a b = true -> a = b.
    Proof using Type. apply is_yes_true. Qed.

    Lemma is_truth_val c : is_truth c = true -> exists b : bool, value c = cst K (if b then one else zero).
    Proof using RING.
      induction c as [a|i|t s|x IHx n t before after|o a IHa|o a1 IH1 a2 IH2|o a1 IH1 a2 IH2 a3 IH3|g a1 IH1 a2 IH2]; cbn [is_truth];
        rewrite <- ?andb_lazy_alt, <- ?orb_lazy_alt; try discriminate.
      - intros found. apply orb_true_iff in found as [->%is_con_true| ->%is_con_true];
          [exists true|exists false]; reflexivity.
      - destruct o; try discriminate. intros is_true. destruct (IHa is_true) as [b same]. exists b.
        cbn [body_val]. rewrite same. apply casts, RING.
      - assert (compared : is_comparison o = true ->
          exists b : bool, value (BOp2 o a1 a2) = cst K (if b then one else zero)).
        { intros compares. destruct (comparisons K RING o (value a1) (value a2) compares);
            [exists true|exists false]; assumption. }
        destruct o; try exact compared; rewrite andb_true_iff; intros [true1 true2];
          destruct (IH1 true1) as [b same1], (IH2 true2) as [c same2]; cbn [body_val]; rewrite same1, same2.
        + exists (b || c)%bool. apply joins, RING.
        + exists (b && c)%bool. apply meets, RING.
      - destruct o; [discriminate|]. rewrite andb_true_iff. intros [true2 true3].
        destruct (IH2 true2) as [b same2], (IH3 true3) as [c same3]. cbn [body_val].
        destruct (choices K RING (value a1)) as [chosen|chosen]; rewrite chosen; eauto.
      - rewrite andb_true_iff. intros [true1 true2]. cbn [body_val]. destruct (icond_val sg iv g); auto.
    Qed.

    Definition invertible (x : num K) : Prop := exists y, op2 K Mul x y = cst K one.

    (** The fraction is v, and what is below has an inverse. *)
    Definition is_value (l : list (num K)) (p : fraction) (v : num K) : Prop :=
      peval l (fst p) = op2 K Mul v (peval l (snd p)) /\ invertible (peval l (snd p)).

    Lemma invertible_mul x y : invertible x -> invertible y -> invertible (op2 K Mul x y).
    Proof using RING.
      intros [x' inverts_x] [y' inverts_y]. exists (op2 K Mul x' y').
      transitivity (op2 K Mul (op2 K Mul x x') (op2 K Mul y y')); [ring|]. rewrite inverts_x, inverts_y. ring.
    Qed.

    Lemma peval_one l : peval l (PEc 1%Z) = cst K one.
    Proof using Type. reflexivity. Qed.

    Lemma plain_value l p : is_value l (plain p) (peval l p).
    Proof using RING.
      split; cbn [plain fst snd]; rewrite peval_one; [ring|]. exists (cst K one). ring.
    Qed.

    Lemma opposite_value l p v : is_value l p v -> is_value l (opposite p) (op1 K Neg v).
    Proof using RING.
      intros [above below]. split; [|exact below]. cbn [opposite fst snd].
      change (peval l (PEopp (fst p))) with (op1 K Neg (peval l (fst p))). rewrite above. ring.
    Qed.

    Lemma plus_value l p q v w : is_value l p v -> is_value l q w -> is_value l (plus p q) (op2 K Add v w).
    Proof using RING.
      intros [above below] [above' below']. split; cbn [plus fst snd].
      - change (op2 K Add (op2 K Mul (peval l (fst p)) (peval l (snd q))) (op2 K Mul (peval l (fst q)) (peval l (snd p))) =
          op2 K Mul (op2 K Add v w) (op2 K Mul (peval l (snd p)) (peval l (snd q)))).
        rewrite above, above'. ring.
      - now apply invertible_mul.
    Qed.

    Lemma times_value l p q v w : is_value l p v -> is_value l q w -> is_value l (times p q) (op2 K Mul v w).
    Proof using RING.
      intros [above below] [above' below']. split; cbn [times fst snd].
      - change (op2 K Mul (peval l (fst p)) (peval l (fst q)) =
          op2 K Mul (op2 K Mul v w) (op2 K Mul (peval l (snd p)) (peval l (snd q)))).
        rewrite above, above'. ring.
      - now apply invertible_mul.
    Qed.

    Lemma inverse_value l p v w : is_value l p v -> op2 K Mul v w = cst K one -> is_value l (inverse p) w.
    Proof using RING.
      intros [above below] inverts. split; cbn [inverse fst snd]; rewrite above.
      - transitivity (op2 K Mul (op2 K Mul v w) (peval l (snd p))); [rewrite inverts|]; ring.
      - apply invertible_mul; [|exact below]. now exists w.
    Qed.

    Lemma value_only l p v w : is_value l p v -> v = w -> is_value l p w.
    Proof using Type. now intros is ->. Qed.

    Lemma leaf_value atoms b p : option_map plain (atom atoms b) = Some p -> is_value (map value atoms) p (value b).
    Proof using FACTS COND RING.
      destruct (atom atoms b) as [i|] eqn:found; [|discriminate]. injection 1 as <-.
      rewrite <- (atom_val _ _ _ found). apply plain_value.
    Qed.

    Lemma positivity_value b : forall p, positivity b = Some p -> positive K p (value b).
    Proof using Type.
      induction b as [c|i|t s|x IHx n t before after|o a IHa|o a1 IH1 a2 IH2|o a1 IH1 a2 IH2 a3 IH3|g a1 IH1 a2 IH2]; intros p;
        cbn [positivity]; try discriminate.
      - destruct c as [m e| |]; try discriminate. destruct (Z.ltb_spec 0 m); [|discriminate].
        injection 1 as <-. now constructor.
      - destruct o; try discriminate. injection 1 as <-. constructor.
      - destruct o; try discriminate; (destruct (positivity a1) as [p1|]; [|discriminate]);
          (destruct (positivity a2) as [p2|]; [|discriminate]); injection 1 as <-; constructor; auto.
    Qed.

    Lemma has_inverse_value b : has_inverse b = true -> op2 K Mul (value b) (value (reciprocal b)) = cst K one.
    Proof using RING.
      unfold has_inverse. destruct (positivity b) as [[|]|] eqn:found; try discriminate. intros _.
      exact (inverses K RING _ (positivity_value b true found)).
    Qed.

    Lemma exponential_opposite x : op2 K Mul (op1 K Exp x) (op1 K Exp (op1 K Neg x)) = cst K one.
    Proof using RING.
      rewrite <- (exponentials K RING). replace (op2 K Add x (op1 K Neg x)) with zero_ by ring.
      apply exponential_zero, RING.
    Qed.

    Lemma exponential_value atoms b : forall p, exponential atoms b = Some p ->
      is_value (map value atoms) p (op1 K Exp (value b)).
    Proof using FACTS COND RING.
      induction b as [c|i|t s|x IHx n t before after|o a IHa|o a1 IH1 a2 IH2|o a1 IH1 a2 IH2 a3 IH3|g a1 IH1 a2 IH2]; intros p;
        cbn [exponential]; try exact (leaf_value atoms (BOp1 Exp _) p).
      - destruct o; try exact (leaf_value atoms (BOp1 Exp _) p).
        destruct (exponential atoms a) as [q|]; [|discriminate]. injection 1 as <-. cbn [body_val].
        apply (inverse_value _ _ _ _ (IHa q eq_refl)). apply exponential_opposite.
      - destruct o; try exact (leaf_value atoms (BOp1 Exp _) p);
          (destruct (exponential atoms a1) as [q|]; [|discriminate]);
          (destruct (exponential atoms a2) as [r|]; [|discriminate]); injection 1 as <-; cbn [body_val].
        + rewrite (exponentials K RING). apply times_value; auto.
        + replace (op2 K Sub (value a1) (value a2)) with (op2 K Add (value a1) (op1 K Neg (value a2))) by ring.
          rewrite (exponentials K RING). apply times_value; [auto|].
          apply (inverse_value _ _ _ _ (IH2 r eq_refl)). apply exponential_opposite.
    Qed.

    Lemma mixed_value atoms c i p q v w : atom atoms (indicator c) = Some i ->
      is_value (map value atoms) p v -> is_value (map value atoms) q w ->
      is_value (map value atoms) (mixed p q i) (op3 K Sel (value c) v w).
    Proof using FACTS COND RING.
      intros found is_v is_w. apply atom_val in found. cbn [indicator body_val] in found.
      pose proof (plus_value _ _ _ _ _ (times_value _ _ _ _ _ (plain_value (map value atoms) i)
        (plus_value _ _ _ _ _ is_v (opposite_value _ _ _ is_w))) is_w) as is.
      apply (value_only _ _ _ _ is). rewrite found.
      destruct (choices K RING (value c)) as [chosen|chosen]; rewrite !chosen; ring.
    Qed.

    Lemma choose_value atoms c : forall p q r v w, choose atoms c p q = Some r ->
      is_value (map value atoms) p v -> is_value (map value atoms) q w ->
      is_value (map value atoms) r (op3 K Sel (value c) v w).
    Proof using FACTS COND RING.
      assert (leaf : forall d p q r v w, option_map (mixed p q) (atom atoms (indicator d)) = Some r ->
        is_value (map value atoms) p v -> is_value (map value atoms) q w ->
        is_value (map value atoms) r (op3 K Sel (value d) v w)).
      { intros d p q r v w. destruct (atom atoms (indicator d)) as [i|] eqn:found; [|discriminate].
        injection 1 as <-. now apply mixed_value. }
      induction c as [a|i|t s|x IHx n t before after|o a IHa|o a1 IH1 a2 IH2|o a1 IH1 a2 IH2 a3 IH3|g a1 IH1 a2 IH2]; intros p q r v w;
        cbn [choose]; try apply leaf.
      - destruct (is_con a one) eqn:is_one; [|destruct (is_con a zero) eqn:is_zero; [|apply leaf]]; injection 1 as <-;
          intros is_v is_w; cbn [body_val].
        + apply is_con_true in is_one as ->. apply (value_only _ _ _ _ is_v). symmetry. exact (truths K RING true _ _).
        + apply is_con_true in is_zero as ->. apply (value_only _ _ _ _ is_w). symmetry. exact (truths K RING false _ _).
      - destruct o; try apply leaf. destruct (is_truth a) eqn:is_true; [|apply leaf]. intros found is_v is_w.
        apply (value_only _ _ _ _ (IHa _ _ _ _ _ found is_v is_w)). cbn [body_val].
        destruct (is_truth_val _ is_true) as [b ->]. now rewrite (casts K RING).
      - destruct o; try apply leaf.
        + rewrite <- andb_lazy_alt. destruct (is_truth a1 && is_truth a2)%bool eqn:are; [|apply leaf].
          apply andb_true_iff in are as [true1 true2].
          destruct (choose atoms a2 p q) as [s|] eqn:of_2; [|discriminate]. intros of_1 is_v is_w.
          apply (value_only _ _ _ _ (IH1 _ _ _ _ _ of_1 is_v (IH2 _ _ _ _ _ of_2 is_v is_w))). cbn [body_val].
          destruct (is_truth_val _ true1) as [b ->], (is_truth_val _ true2) as [c ->].
          rewrite (joins K RING), !(truths K RING). now destruct b.
        + rewrite <- andb_lazy_alt. destruct (is_truth a1 && is_truth a2)%bool eqn:are; [|apply leaf].
          apply andb_true_iff in are as [true1 true2].
          destruct (choose atoms a2 p q) as [s|] eqn:of_2; [|discriminate]. intros of_1 is_v is_w.
          apply (value_only _ _ _ _ (IH1 _ _ _ _ _ of_1 (IH2 _ _ _ _ _ of_2 is_v is_w) is_w)). cbn [body_val].
          destruct (is_truth_val _ true1) as [b ->], (is_truth_val _ true2) as [c ->].
          rewrite (meets K RING), !(truths K RING). now destruct b.
        + destruct (atom atoms _) as [i|] eqn:found; [|discriminate]. injection 1 as <-. intros is_v is_w.
          apply (value_only _ _ _ _ (mixed_value _ _ _ _ _ _ _ found is_w is_v)). cbn [body_val].
          symmetry. apply orders, RING.
      - destruct o; [apply leaf|].
        destruct (choose atoms a2 p q) as [s|] eqn:of_2; [|discriminate].
        destruct (choose atoms a3 p q) as [u|] eqn:of_3; [|discriminate]. intros of_1 is_v is_w.
        apply (value_only _ _ _ _ (IH1 _ _ _ _ _ of_1 (IH2 _ _ _ _ _ of_2 is_v is_w) (IH3 _ _ _ _ _ of_3 is_v is_w))).
        cbn [body_val]. destruct (choices K RING (value a1)) as [chosen|chosen]; now rewrite !chosen.
      - destruct (entails facts cond g) eqn:holds.
        + intros found. apply (entails_sound _ _ _ _ FACTS holds) in COND as g_true. cbn [body_val].
          rewrite g_true. now apply IH1.
        + destruct (entails facts cond (CNot g)) eqn:fails; [|apply leaf].
          intros found. apply (entails_sound _ _ _ _ FACTS fails) in COND as g_false. cbn in g_false.
          cbn [body_val]. destruct (icond_val sg iv g); [discriminate|]. now apply IH2.
    Qed.

    Lemma below_whole atoms d : (forall p, quotient atoms d = Some p -> is_value (map value atoms) p (value d)) ->
      forall p, (if has_inverse d then option_map inverse (quotient atoms d)
                 else option_map plain (atom atoms (reciprocal d))) = Some p ->
      is_value (map value atoms) p (value (reciprocal d)).
    Proof using FACTS COND RING.
      intros is p. destruct (has_inverse d) eqn:inverts; [|apply leaf_value].
      destruct (quotient atoms d) as [q|]; [|discriminate]. injection 1 as <-.
      exact (inverse_value _ _ _ _ (is q eq_refl) (has_inverse_value d inverts)).
    Qed.

    (** As a dividend, and as a divisor. *)
    Lemma quotient_values atoms b :
      (forall p, quotient atoms b = Some p -> is_value (map value atoms) p (value b)) /\
      (forall p, divisor atoms b = Some p -> is_value (map value atoms) p (value (reciprocal b))).
    Proof using FACTS COND RING.
      assert (both : forall d, (forall p, quotient atoms d = Some p -> is_value (map value atoms) p (value d)) ->
        match d with BOp2 Mul _ _ => False | _ => True end ->
        (forall p, quotient atoms d = Some p -> is_value (map value atoms) p (value d)) /\
        (forall p, divisor atoms d = Some p -> is_value (map value atoms) p (value (reciprocal d)))).
      { intros d above leaf. split; [assumption|]. intros p found. apply (below_whole atoms d above p).
        destruct d as [c|i|t s|x n u before after|o a|o d1 d2|o d1 d2 d3|g d1 d2]; try exact found.
        destruct o; try exact found. contradiction. }
      induction b as [c|i|t s|x IHx n t before after|o a [IHa _]|o a1 [IH1 below1] a2 [IH2 below2]|o a1 _ a2 [IH2 _] a3 [IH3 _]|g a1 [IH1 _] a2 [IH2 _]].
      - apply both; [|exact I]. intros p. cbn [quotient]. destruct c as [m e|n|]; [|apply leaf_value..].
        destruct (Z.leb_spec 0 e); [|apply leaf_value].
        injection 1 as <-. cbn [body_val]. rewrite integer_constants by assumption. apply plain_value.
      - apply both; [|exact I]. intros p. apply leaf_value.
      - apply both; [|exact I]. intros p. apply leaf_value.
      - apply both; [|exact I]. intros p. apply leaf_value.
      - apply both; [|exact I]. intros p. cbn [quotient].
        destruct o; try apply leaf_value; [|exact (exponential_value atoms a p)].
        destruct (quotient atoms a) as [q|]; [|discriminate]. injection 1 as <-. now apply opposite_value, IHa.
      - assert (above : forall p, quotient atoms (BOp2 o a1 a2) = Some p ->
          is_value (map value atoms) p (value (BOp2 o a1 a2))).
        { intros p. destruct o; try exact (leaf_value atoms _ p).
          4: change (quotient atoms (BOp2 Div a1 a2)) with (lift2 times (quotient atoms a1) (divisor atoms a2));
            (destruct (quotient atoms a1) as [q|]; [|discriminate]);
            (destruct (divisor atoms a2) as [r|]; [|discriminate]); injection 1 as <-; cbn [body_val];
            rewrite quotients by assumption; exact (times_value _ _ _ _ _ (IH1 q eq_refl) (below2 r eq_refl)).
          all: cbn [quotient]; (destruct (quotient atoms a1) as [q|]; [|discriminate]);
            (destruct (quotient atoms a2) as [r|]; [|discriminate]); injection 1 as <-; cbn [body_val].
          - apply plus_value; auto.
          - apply (value_only _ _ _ _ (plus_value _ _ _ _ _ (IH1 q eq_refl) (opposite_value _ _ _ (IH2 r eq_refl)))). ring.
          - apply times_value; auto. }
        destruct o; try (apply both; [exact above|exact I]). split; [exact above|]. intros p.
        change (divisor atoms (BOp2 Mul a1 a2)) with (lift2 times (divisor atoms a1) (divisor atoms a2)).
        destruct (divisor atoms a1) as [r1|]; [|discriminate]. destruct (divisor atoms a2) as [r2|]; [|discriminate].
        injection 1 as <-. cbn [reciprocal body_val]. rewrite (reciprocals K RING). apply times_value; auto.
      - apply both; [|exact I]. intros p. cbn [quotient]. destruct o; [apply leaf_value|].
        destruct (quotient atoms a2) as [x|]; [|discriminate].
        destruct (quotient atoms a3) as [y|]; [|discriminate]. intros found. cbn [body_val].
        apply (choose_value _ _ _ _ _ _ _ found); auto.
      - apply both; [|exact I]. intros p. cbn [quotient]. destruct (entails facts cond g) eqn:holds.
        + intros found. apply (entails_sound _ _ _ _ FACTS holds) in COND as g_true. cbn [body_val].
          rewrite g_true. now apply IH1.
        + destruct (entails facts cond (CNot g)) eqn:fails; [|apply leaf_value].
          intros found. apply (entails_sound _ _ _ _ FACTS fails) in COND as g_false. cbn in g_false.
          cbn [body_val]. destruct (icond_val sg iv g); [discriminate|]. now apply IH2.
    Qed.

    (** What has an inverse may be left out of a product. *)
    Lemma crosswise l p q v w : is_value l p v -> is_value l q w ->
      peval l (PEmul (fst p) (snd q)) = peval l (PEmul (fst q) (snd p)) -> v = w.
    Proof using RING.
      intros [above [x inverts]] [above' [y inverts']] same.
      change (op2 K Mul (peval l (fst p)) (peval l (snd q)) = op2 K Mul (peval l (fst q)) (peval l (snd p))) in same.
      rewrite above, above' in same.
      transitivity (op2 K Mul (op2 K Mul (op2 K Mul v (peval l (snd p))) (peval l (snd q))) (op2 K Mul x y)).
      - transitivity (op2 K Mul v (op2 K Mul (op2 K Mul (peval l (snd p)) x) (op2 K Mul (peval l (snd q)) y))); [|ring].
        rewrite inverts, inverts'. ring.
      - rewrite same.
        transitivity (op2 K Mul w (op2 K Mul (op2 K Mul (peval l (snd p)) x) (op2 K Mul (peval l (snd q)) y))); [ring|].
        rewrite inverts, inverts'. ring.
    Qed.

    Theorem bodies_equal_sound a b : bodies_equal a b = true -> value a = value b.
    Proof using FACTS COND RING.
      unfold bodies_equal. set (atoms := distinct _ _).
      destruct (quotient atoms a) as [p|] eqn:of_a; [|discriminate].
      destruct (quotient atoms b) as [q|] eqn:of_b; [|destruct p; discriminate].
      pose proof (proj1 (quotient_values _ _) _ of_a) as is_a. pose proof (proj1 (quotient_values _ _) _ of_b) as is_b.
      intros same. apply (crosswise _ _ _ _ _ is_a is_b). destruct p as [p d], q as [q e]. unfold peval.
      rewrite (norm_aux_spec setoid extends almost morphism power (map value atoms) (PEmul (fst (p, d)) (snd (q, e)))).
      rewrite (norm_aux_spec setoid extends almost morphism power (map value atoms) (PEmul (fst (q, e)) (snd (p, d)))).
      exact (Peq_ok setoid extends morphism _ _ same (map value atoms)).
    Qed.
  End SOUND.
End EQUAL.
